// Reads a record with @mcap/core, the format's own library, by its index and as a stream, and compares both.
// usage: node mcap_core_test.mjs <record> <folder with node_modules>
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [record, folder] = process.argv.slice(2);
const { McapIndexedReader, McapStreamReader } = createRequire(resolve(folder, "package.json"))("@mcap/core");

const kSchemas = {
  sensors: "kinloop.v1.SensorFrame",
  inputs: "kinloop.v1.StepInput",
  commands: "kinloop.v1.ActuatorFrame",
  events: "kinloop.v1.Event",
  parameters: "kinloop.v1.RecordedParameters",
  snapshots: "kinloop.v1.RecordedSnapshot",
};

const bytes = new Uint8Array(readFileSync(record));
const readable = {
  size: async () => BigInt(bytes.length),
  read: async (offset, size) => bytes.subarray(Number(offset), Number(offset + size)),
};

const all = async (items) => {
  const list = [];
  for await (const item of items) list.push(item);
  return list;
};
const key = (message) => `${message.channelId} ${message.sequence} ${message.logTime} ${Buffer.from(message.data).toString("hex")}`;
const counted = (messages) => {
  const counts = new Map();
  for (const { channelId } of messages) counts.set(channelId, (counts.get(channelId) ?? 0n) + 1n);
  return counts;
};

// As a stream, in pieces of a size that divides nothing.
const stream = new McapStreamReader({ includeChunks: true, validateCrcs: true });
const records = [];
for (let at = 0; at < bytes.length; at += 4099) {
  stream.append(bytes.subarray(at, at + 4099));
  for (let one; (one = stream.nextRecord()) != undefined; ) records.push(one);
}
assert.ok(stream.done(), "the stream ends with footer and magic");
assert.equal(stream.bytesRemaining(), 0);
const streamed = records.filter(({ type }) => type === "Message");
const chunks = records.filter(({ type }) => type === "Chunk");
assert.ok(chunks.length > 1, "there are several chunks");

// By the index.
const reader = await McapIndexedReader.Initialize({ readable });
assert.match(reader.header.library, /^kinloop \d+\.\d+\.\d+$/);
assert.equal(reader.header.profile, "");
assert.equal(reader.chunkIndexes.length, chunks.length);
assert.equal(reader.channelsById.size, Object.keys(kSchemas).length);
for (const channel of reader.channelsById.values()) {
  const schema = reader.schemasById.get(channel.schemaId);
  assert.equal(channel.messageEncoding, "protobuf");
  assert.equal(schema.encoding, "protobuf");
  assert.equal(schema.name, kSchemas[channel.topic]);
  const data = Buffer.from(schema.data);
  assert.ok(data.includes("kinloop.v1") && data.includes(schema.name.split(".").at(-1)), "the schema describes itself");
}
const messages = await all(reader.readMessages({ validateCrcs: true }));
assert.deepEqual(messages.map(key).sort(), streamed.map(key).sort());
assert.equal(reader.statistics.messageCount, BigInt(messages.length));
for (const [id, count] of reader.statistics.channelMessageCounts) assert.equal(count, counted(messages).get(id) ?? 0n);
assert.equal(reader.statistics.chunkCount, chunks.length);
const times = messages.map(({ logTime }) => logTime);
assert.equal(reader.statistics.messageStartTime, times.at(0));
assert.equal(reader.statistics.messageEndTime, times.at(-1));

// Half of the time, one topic: what only works when message indexes are right.
const middle = (times.at(0) + times.at(-1)) / 2n;
const sensors = [...reader.channelsById.values()].find(({ topic }) => topic === "sensors").id;
const half = await all(reader.readMessages({ topics: ["sensors"], startTime: middle }));
assert.ok(half.length > 0);
assert.deepEqual(
  half.map(key),
  messages.filter(({ channelId, logTime }) => channelId === sensors && logTime >= middle).map(key),
);

const attachments = await all(reader.readAttachments({ validateCrcs: true }));
assert.ok(attachments.some(({ name, data }) => name === "rig.yaml" && data.length > 0));
assert.ok(attachments.some(({ name }) => name.startsWith("model.")));
const metadata = new Map((await all(reader.readMetadata())).map(({ name, metadata: values }) => [name, values]));
assert.ok(metadata.get("kinloop").get("rig").length > 0);
assert.equal(metadata.get("kinloop.end").get("messages"), String(messages.length));

console.log(`${messages.length} messages in ${chunks.length} chunks, ${attachments.length} attachments: both readers agree`);
