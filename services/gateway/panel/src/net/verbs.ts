// What the schema says of each verb: options of its field in ControlRequest.
import { getOption } from "@bufbuild/protobuf";
import { type ControlRequest, ControlRequestSchema } from "../generated/kinloop/v1/control_pb";
import { properties, type VerbProperties } from "../generated/kinloop/v1/verb_pb";

export type Verb = NonNullable<ControlRequest["verb"]["case"]>;

export function propertiesOf(verb: Verb): VerbProperties {
  return getOption(ControlRequestSchema.field[verb], properties);
}
