// Makes src/generated from the project's .proto files, with Debian's protoc and the plug-in from node_modules.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const panel = join(dirname(fileURLToPath(import.meta.url)), "..");
const proto = join(panel, "../../../proto");
const out = join(panel, "src/generated");
const used = ["control", "describe", "error", "event", "frames", "panel", "state", "verb"];

mkdirSync(out, { recursive: true });
const folder = join(proto, "kinloop/v1");
const files = readdirSync(folder).filter((file) => used.includes(file.replace(/\.proto$/, "")));
execFileSync(
  process.env.PROTOC ?? "protoc",
  [
    `--plugin=protoc-gen-es=${join(panel, "node_modules/.bin/protoc-gen-es")}`,
    `--es_out=${out}`,
    "--es_opt=target=ts,import_extension=none",
    `-I${proto}`,
    ...files.map((file) => join(folder, file)),
  ],
  { stdio: "inherit" },
);
