// Servers and browsers for the tests.
//   KINLOOP_BINARY       the program; it runs the rigs of KINLOOP_ROOT, the project's folder. Else the mock.
//   KINLOOP_PANEL_SHOTS  folder for screenshots. Else ./shots.
//   KINLOOP_CHROMIUM     the browser. Else /usr/bin/chromium.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const kinloop = process.env.KINLOOP_BINARY;
const root = process.env.KINLOOP_ROOT ?? join(here, "../..");
export const isMock = !kinloop;
/** Fails about a second after it starts. */
export const locking = join(root, "tests/browser/rigs/locking_rig.yaml");
const shots = process.env.KINLOOP_PANEL_SHOTS ?? join(here, "shots");

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** The program and its arguments. */
function commandOf({ port, rig, token, role }) {
  if (isMock) {
    const extra = [...(token ? ["--token", token] : []), ...(role ? ["--role", role] : [])];
    return [process.execPath, join(here, "mock/server.mjs"), "--port", String(port), ...extra];
  }
  const command = [kinloop, "run", rig.includes("/") ? rig : join(root, `configs/rigs/${rig}.yaml`), "--allow-degraded", "--mode", "real_time"];
  command.push("--panel", `127.0.0.1:${port}`, "--runs", join(here, "runs"));
  if (token) {
    const file = join(here, `tokens-${port}`);
    writeFileSync(file, `${role || "admin"} somebody ${token}\n`, { mode: 0o600 });
    command.push("--panel-tokens", file);
  }
  return command;
}

/**
 * Starts a server and waits until the page can be fetched. `rig`: a name of configs/rigs or a file; the mock knows but its
 * own. `token`, `role`: of whoever brings the token.
 */
export async function startServer({ port, rig = "excavator", token = "", role = "" } = {}) {
  const at = port ?? (await freePort());
  const [program, ...args] = commandOf({ port: at, rig, token, role });
  // A group of its own: the signal is for the plant, its sockets and its watchdog alike.
  const child = spawn(program, args, { detached: true, stdio: ["ignore", "ignore", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = `http://127.0.0.1:${at}/`;
  for (let tries = 0; ; ++tries) {
    try {
      if ((await fetch(url)).ok) break;
    } catch {
      // not yet
    }
    if (tries > 300 || child.exitCode !== null) throw new Error(`no page at ${url}: ${program} ${args.join(" ")}`);
    await sleep(100);
  }
  return {
    url,
    port: at,
    async stop(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
      await ended;
    },
  };
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

/** Until the function says yes; the last value is in the error. */
export async function until(what, look, { patience_ms = 10_000 } = {}) {
  const end = Date.now() + patience_ms;
  for (;;) {
    const value = await look();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited in vain until ${what}; last: ${JSON.stringify(value)}`);
    await sleep(100);
  }
}

/** Of two poses. */
export const distance = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));

export async function takeControl(page) {
  await page.click(id("tab-drive"));
  await until("control is held", async () => {
    if ((await page.getAttribute(id("take-control"), "aria-pressed")) === "true") return true;
    await page.click(id("take-control"));
    await sleep(300);
    return false;
  });
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
    for (let i = 0; i < 15; ++i) {
      await sleep(150);
      if (await until_()) return;
    }
    await page.mouse.up();
    await sleep(300);
  }
  throw new Error("the axis did not move the plant");
}
