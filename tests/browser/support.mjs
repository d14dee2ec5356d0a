// Servers and browsers for the tests.
//   KINLOOP_PANEL_SERVER  command that serves the page; {port} stands for the port. Else the mock.
//   KINLOOP_PANEL_SHOTS   folder for screenshots. Else ./shots.
//   KINLOOP_CHROMIUM      the browser. Else /usr/bin/chromium.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const isMock = !process.env.KINLOOP_PANEL_SERVER;
const shots = process.env.KINLOOP_PANEL_SHOTS ?? join(here, "shots");

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Starts the server and waits until the page can be fetched. Extra arguments are for the mock only. */
export async function startServer({ port, extra = [] } = {}) {
  const at = port ?? (await freePort());
  const command = process.env.KINLOOP_PANEL_SERVER ?? `"${process.execPath}" "${join(here, "mock/server.mjs")}" --port {port} ${extra.join(" ")}`;
  // A group of its own: a shell does not hand signals on to what it runs.
  const child = spawn("/bin/sh", ["-c", `exec ${command.replaceAll("{port}", String(at))}`], { detached: true, stdio: ["ignore", "ignore", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = `http://127.0.0.1:${at}/`;
  for (let tries = 0; ; ++tries) {
    try {
      if ((await fetch(url)).ok) break;
    } catch {
      // not yet
    }
    if (tries > 300 || child.exitCode !== null) throw new Error(`no page at ${url}: ${command}`);
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

/** A fresh page of 1280 by 720 that is connected; what it complains of is in page.complaints. */
export async function openPage(browser, url, { scheme = "light", size = { width: 1280, height: 720 }, hash = "", waits = true } = {}) {
  const context = await browser.newContext({ viewport: size, colorScheme: scheme });
  const page = await context.newPage();
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
