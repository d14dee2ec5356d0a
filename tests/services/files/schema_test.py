#!/usr/bin/env python3
"""Checks that a schema of docs and its loader agree: good files pass, bad ones fail unless they say otherwise.

A bad file whose first line is "# schema: passes" has an error that no schema can see. Usage: schema_test.py ROOT KIND,
where KIND is model or rig
"""

import json
import pathlib
import re
import sys

import jsonschema
import yaml

MARKER = "# schema: passes"


class Loader(yaml.SafeLoader):
    """YAML 1.2 as the loader reads it: 1e-3 is a number, true and false are no text, yes and no are."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":float", ":bool"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"),
    list("-+.0123456789"),
)
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), list("tf"))


def descriptions_missing(schema, path="#"):
    """Paths of properties without a description."""
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from descriptions_missing(item, f"{path}[{index}]")
    if not isinstance(schema, dict):
        return
    is_rule = any(f"/{word}" in path for word in ("then", "if", "not", "else"))
    for key, value in schema.get("properties", {}).items() if not is_rule else ():
        if "description" not in value:
            yield f"{path}/{key}"
    for key, value in schema.items():
        yield from descriptions_missing(value, f"{path}/{key}")


def first_violation(validator, text):
    """What the schema has against a file; None if nothing."""
    try:
        document = yaml.load(text, Loader)
    except yaml.YAMLError as error:
        return f"no YAML: {error}"
    error = jsonschema.exceptions.best_match(validator.iter_errors(document))
    return None if error is None else f"{error.json_path}: {error.message}"


def main():
    root, kind = pathlib.Path(sys.argv[1]), sys.argv[2]
    schema = json.loads((root / f"docs/{kind}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    failures = [f"{path}: has no description" for path in descriptions_missing(schema)]

    good = sorted((root / f"configs/{kind}s").glob("*.yaml"))
    bad = sorted((root / f"tests/bad_{kind}s").glob("*.yaml"))
    for path in good:
        violation = first_violation(validator, path.read_text(encoding="utf-8"))
        if violation is not None:
            failures.append(f"{path.name}: good, but the schema says {violation}")
    for path in bad:
        text = path.read_text(encoding="utf-8")
        violation = first_violation(validator, text)
        if text.startswith(MARKER) and violation is not None:
            failures.append(f"{path.name}: marked '{MARKER}', but the schema says {violation}")
        if not text.startswith(MARKER) and violation is None:
            failures.append(f"{path.name}: bad, but the schema sees nothing; mark it '{MARKER}' if no schema can")

    if not good or not bad:
        failures.append(f"no {kind}s found")
    for failure in failures:
        print(failure)
    print(f"{len(good)} good and {len(bad)} bad {kind}s, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
