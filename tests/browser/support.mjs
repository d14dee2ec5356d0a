// Servers and browsers for the tests.
//   KINLOOP_BINARY       the program. Else build/bin/kinloop of the project.
//   KINLOOP_ROOT         the project's folder, for its rigs. Else two folders up.
//   KINLOOP_PANEL_SHOTS  folder for screenshots. Else ./shots.
//   KINLOOP_CHROMIUM     the browser. Else /usr/bin/chromium.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const root = process.env.KINLOOP_ROOT ?? join(here, "../..");
const kinloop = process.env.KINLOOP_BINARY ?? join(root, "build/bin/kinloop");
/** Fails about a second after it starts. */
export const locking = join(root, "tests/browser/rigs/locking_rig.yaml");
export const massless = join(root, "tests/browser/rigs/massless_rig.yaml");
const shots = process.env.KINLOOP_PANEL_SHOTS ?? join(here, "shots");

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let tokenFiles = 0;

/**
 * A copy of a rig of configs/rigs whose actuators wait so long for commands that no stall of the browser makes them safe:
 * two cores that draw in software and compile besides let some 0.4 s pass between two commands of the page.
 */
export function patientRig(rig) {
  const file = join(root, `configs/rigs/${rig}.yaml`);
  const copy = join(here, `patient_${rig}.yaml`);
  const text = readFileSync(file, "utf8")
    .replace(/^model: (.*)$/m, (_, model) => `model: ${join(dirname(file), model)}`)
    .replaceAll(/max_age: \d+ ms/g, "max_age: 3 s");
  writeFileSync(copy, text);
  return copy;
}

/** The program and its arguments. */
function commandOf({ port, rig, token, role }) {
  const command = [kinloop, "run", rig.includes("/") ? rig : join(root, `configs/rigs/${rig}.yaml`), "--allow-degraded", "--mode", "real_time"];
  command.push("--panel", `127.0.0.1:${port}`, "--runs", join(here, "runs"));
  if (token) {
    const file = join(here, `tokens-${++tokenFiles}`);
    writeFileSync(file, `${role || "admin"} somebody ${token}\n`, { mode: 0o600 });
    command.push("--panel-tokens", file);
  }
  return command;
}

/** Groups whose test may end before it stops them. */
const running = new Set();
process.on("exit", () => {
  for (const group of running) {
    try {
      process.kill(-group, "SIGKILL");
    } catch {
      // It has ended by itself meanwhile.
    }
  }
});

/**
 * Starts a server and waits until the page can be fetched. `rig`: a name of configs/rigs or a file. `token`, `role`: of
 * whoever brings the token. Without a port it takes a free one.
 */
export async function startServer({ port = 0, rig = "excavator", token = "", role = "" } = {}) {
  const [program, ...args] = commandOf({ port, rig, token, role });
  // A group of its own: the signal is for the plant, its sockets and its watchdog alike.
  const child = spawn(program, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child.pid);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  void ended.then(() => running.delete(child.pid));
  let at = 0; // as it tells
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      at ||= Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? 0);
      if (stream === child.stderr) console.error(line);
    });
  }
  const isUp = async () => {
    if (child.exitCode !== null) throw new Error(`it ended: ${program} ${args.join(" ")}`);
    return at !== 0 && (await fetch(`http://127.0.0.1:${at}/`).catch(() => null))?.ok;
  };
  await until("the page can be fetched", isUp);
  const url = `http://127.0.0.1:${at}/`;
  return {
    url,
    port: at,
    /** Of the supervisor; `child` gives that of "kinloop-plant" or "kinloop-io". */
    pid: child.pid,
    child: (name) =>
      readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8")
        .split(" ")
        .filter((pid) => pid !== "" && readFileSync(`/proc/${pid}/comm`, "utf8").trim() === name)
        .map(Number)[0],
    async stop(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
      await ended;
    },
  };
}

/** As a terminal on the same host would: `kinloop ctl` of the only plant. */
export function ctl(...args) {
  const { status, stderr } = spawnSync(kinloop, ["ctl", ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`kinloop ctl ${args.join(" ")}: ${stderr}`);
}

export async function startBrowser() {
  return chromium.launch({
    executablePath: process.env.KINLOOP_CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: [
      "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
      "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    ],
  });
}

/** A fresh page of 1280 by 720 that is connected; what it complains of is in page.complaints. `before` runs in it first. */
export async function openPage(browser, url, { scheme = "light", size = { width: 1280, height: 720 }, hash = "", waits = true, before } = {}) {
  const context = await browser.newContext({ viewport: size, colorScheme: scheme });
  const page = await context.newPage();
  if (before) await page.addInitScript(before);
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("console", (message) => {
    // A refused connection is reported by the browser itself, and is what some tests are about.
    if (message.type() === "error" && !/WebSocket connection|ERR_CONNECTION_REFUSED|favicon/.test(message.text())) page.complaints.push(message.text());
  });
  await page.goto(url + hash);
  if (waits) await page.waitForFunction(() => window.kinloop?.connected && window.kinloop.step > 0 && window.kinloop.frames > 0, null, { timeout: 30_000 });
  return page;
}

export const id = (name) => `[data-testid="${name}"]`;

export async function shot(page, name) {
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}

/** Until the function says yes, however busy the machine is; the last value is in the error. */
export async function until(what, look, { patience_ms = 30_000 } = {}) {
  const end = Date.now() + patience_ms;
  for (;;) {
    const value = await look();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited in vain until ${what}; last: ${JSON.stringify(value)}`);
    await sleep(50);
  }
}

/** Whether the function says yes in time; else there is something to be tried again. */
export async function soon(look, patience_ms = 3000) {
  return until("it comes true", look, { patience_ms }).catch(() => false);
}

/** What the page knows, at once; what it shows (text, visible) follows with the next picture: wait for it. */
export const probe = (page, key) => page.evaluate((name) => window.kinloop[name], key);
export const text = (page, name) => page.locator(id(name)).textContent();
export const visible = (page, name) => page.locator(id(name)).isVisible();

/** Until the browser shows what the page is now. */
export const painted = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Until the 3D view was drawn so often again. */
export async function drawn(page, times) {
  const before = await probe(page, "frames");
  await until("the view is drawn", async () => (await probe(page, "frames")) >= before + times);
}

/** Until the plant has gone on for so long: time enough for what is not to happen. */
export async function plantGoesOn(page, seconds) {
  const begin = await probe(page, "time");
  await until("the plant goes on", async () => (await probe(page, "time")) >= begin + seconds);
}

/** What the probe shows once it has been the same for so long. */
export async function steady(page, key, quiet_ms) {
  let [value, since] = [await probe(page, key), Date.now()];
  await until(`${key} stays the same`, async () => {
    const now = await probe(page, key);
    if (now !== value) [value, since] = [now, Date.now()];
    return Date.now() - since >= quiet_ms;
  });
  return value;
}

/** Of two poses. */
export const distance = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));

/** What most tests move, and look at, of the excavator. */
export const axis = "boom";
export const body = "boom";
export const pose = (page) => page.evaluate((name) => window.kinloop.bodyPose(name), body);

/** Where the body is once it has stopped moving. */
export async function restingPose(page) {
  return until("it comes to rest", async () => {
    const from = await pose(page);
    // Several looks: of a machine that rings on its oil two may show the same by chance.
    for (const _ of [1, 2, 3, 4]) {
      await plantGoesOn(page, 0.1);
      if (distance(from, await pose(page)) > 1e-4) return false;
    }
    return from;
  });
}

const holdsControl = async (page) => (await page.getAttribute(id("take-control"), "aria-pressed")) === "true";

export async function takeControl(page) {
  await page.click(id("tab-drive"));
  await until("control is held", async () => {
    if (await holdsControl(page)) return true;
    await page.click(id("take-control"));
    return soon(() => holdsControl(page));
  });
}

export async function release(page) {
  await page.mouse.up();
  if (await holdsControl(page)) await page.click(id("take-control"));
}

/**
 * Holds the slider at a share of its way up, until the function says yes. Let go and taken again where a stall of the
 * browser made the actuator safe.
 */
export async function dragAxis(page, axis, share, until_) {
  const slider = page.locator(id(`axis-${axis}`));
  const box = await slider.boundingBox();
  const y = box.y + box.height / 2;
  const middle = box.x + box.width / 2;
  const end = middle + share * (box.width / 2 - 10);
  for (let tries = 0; tries < 5; ++tries) {
    await takeControl(page);
    await page.mouse.move(middle, y);
    await page.mouse.down();
    await page.mouse.move(middle + 0.6 * (end - middle), y, { steps: 4 });
    await page.mouse.move(end, y, { steps: 2 });
    if (await soon(until_)) return;
    await page.mouse.up();
    await painted(page);
  }
  throw new Error("the axis did not move the plant");
}
