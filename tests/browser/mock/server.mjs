// A gateway without a plant: serves the page and speaks panel.proto, so that the page can be built and tested by itself.
//   node mock/server.mjs [--port N] [--dist FOLDER] [--role observer|operator|admin] [--token T]
import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import protobuf from "protobufjs";
import { WebSocketServer } from "ws";
import { Plant } from "./plant.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: {
    port: { type: "string", default: "8080" },
    dist: { type: "string", default: join(here, "../../../services/gateway/panel/dist") },
    role: { type: "string", default: "admin" },
    token: { type: "string", default: "" },
  },
});

const root = new protobuf.Root();
root.resolvePath = (_, target) => (target.startsWith("kinloop/") ? join(here, "../../../proto", target) : target);
root.loadSync("kinloop/v1/panel.proto");
const PageRequest = root.lookupType("kinloop.v1.PageRequest");
const PageMessage = root.lookupType("kinloop.v1.PageMessage");
const readable = { enums: String, longs: String, defaults: true, oneofs: true, arrays: true };

const pages = new Set();
const encode = (message) => PageMessage.encode(PageMessage.fromObject(message)).finish();
const toAll = (message) => {
  const bytes = encode(message);
  for (const page of pages) page.socket.send(bytes);
};
const plant = new Plant(toAll);
const seconds = () => Number(process.hrtime.bigint()) * 1e-9;

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" };
const server = createServer((request, response) => {
  const path = normalize(new URL(request.url, "http://x").pathname);
  const file = join(options.dist, path === "/" ? "index.html" : path);
  if (!file.startsWith(options.dist) || !existsSync(file)) return response.writeHead(404).end("not found\n");
  response.writeHead(200, {
    "content-type": types[extname(file)] ?? "application/octet-stream",
    // As strict as the page can bear: nothing from elsewhere, nothing inline.
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'",
  });
  createReadStream(file).pipe(response);
});

const sockets = new WebSocketServer({ server, path: "/ws", handleProtocols: (offered) => (offered.has("kinloop.v1") ? "kinloop.v1" : false) });
sockets.on("connection", (socket, request) => {
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(/,\s*/);
  if (options.token !== "" && !offered.includes(`token.${options.token}`)) return socket.close(4401, "a token is needed");
  const page = { socket, wishes: { rateHz: 60, forces: false, hidden: false }, last_s: 0 };
  socket.send(encode({ scene: plant.scene(options.role) }));
  socket.send(encode({ status: plant.status(seconds()) }));
  if (plant.times.steps > 0) socket.send(encode({ timing: plant.times.message() }));
  socket.send(encode({ snapshots: plant.snapshotList() }));
  for (const event of plant.events.slice(-200)) socket.send(encode({ event }));
  pages.add(page);
  socket.on("message", (data) => take(page, data));
  socket.on("close", () => {
    pages.delete(page);
    plant.releaseOwner(page);
  });
});

function take(page, data) {
  const message = PageRequest.toObject(PageRequest.decode(data), readable);
  const answer = (reply) => page.socket.send(encode({ reply }));
  if (message.what === "control") {
    const result = plant.control(message.control, page, options.role, seconds());
    answer({ requestId: message.control.requestId, step: plant.step, ...result });
    toAll({ status: plant.status(seconds()) });
  } else if (message.what === "frame") {
    const refusal = plant.frame(message.frame, page, seconds());
    if (refusal) page.socket.send(encode({ refusal }));
  } else if (message.what === "wishes") {
    page.wishes = message.wishes;
    if (page.wishes.hidden) plant.releaseOwner(page);
  } else if (message.what === "snapshot") {
    answer({ requestId: message.snapshot.requestId, ...plant.snapshotWish(message.snapshot, options.role) });
    toAll({ snapshots: plant.snapshotList() });
  }
}

let began_s = seconds();
let released = 0;
setInterval(() => {
  const now_s = seconds();
  const due = Math.floor((now_s - began_s) * 1000);
  if (plant.state === "PLANT_STATE_RUNNING" && !plant.isFrozen) plant.advance(due - released, now_s);
  else plant.advance(0, now_s);
  released = due;
  for (const page of pages) {
    if (page.wishes.hidden || now_s - page.last_s < 0.9 / (page.wishes.rateHz || 60)) continue;
    page.last_s = now_s;
    page.socket.send(encode({ view: plant.view(page.wishes.forces) }));
  }
  plant.samples = [];
}, 16);
setInterval(() => toAll({ status: plant.status(seconds()) }), 250);
setInterval(() => plant.times.steps > 0 && toAll({ timing: plant.times.message() }), 1000);

server.listen(Number(options.port), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
