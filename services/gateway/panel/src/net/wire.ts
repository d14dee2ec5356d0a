// Messages to bytes and back. 64-bit numbers are bigint: hashes and leases need all their bits; steps and counts are made
// numbers where they are shown.
import { create, fromBinary, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { ControlRequestSchema } from "../generated/kinloop/v1/control_pb";
import { PageMessageSchema, PageRequestSchema, type PageMessage } from "../generated/kinloop/v1/panel_pb";

export type PageRequestInit = NonNullable<MessageInitShape<typeof PageRequestSchema>["what"]>;
export type VerbInit = NonNullable<MessageInitShape<typeof ControlRequestSchema>["verb"]>;

export function encode(what: PageRequestInit): Uint8Array {
  return toBinary(PageRequestSchema, create(PageRequestSchema, { what }));
}

export function decode(bytes: ArrayBuffer): PageMessage {
  return fromBinary(PageMessageSchema, new Uint8Array(bytes));
}
