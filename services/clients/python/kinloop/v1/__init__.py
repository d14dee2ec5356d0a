"""The messages of the wire schema, made from proto/kinloop/v1/*.proto by the script `generate`."""
