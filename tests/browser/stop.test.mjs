// The emergency stop on the page: in reach at every width, and in force whatever io does; with the excavator.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { id, openPage, painted, probe, shot, sleep, startBrowser, startServer, text, until } from "./support.mjs";

const token = "a-token-of-the-tests-0123456789abcdef";
const tabs = ["drive", "plots", "timing", "instructor", "events"];

let browser;
const servers = [];
before(async () => {
  browser = await startBrowser();
});
after(async () => {
  for (const server of servers) await server.stop("SIGKILL");
  await browser?.close();
});

async function start(options) {
  const server = await startServer(options);
  servers.push(server);
  return server;
}

/** It may have been killed meanwhile: a supervisor does not leave a hung io alone. */
function goOn(pid) {
  try {
    process.kill(pid, "SIGCONT");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** Whether the whole button is on the screen, and at its corners and centre nothing lies over it. */
async function isInReach(page) {
  return page.evaluate(() => {
    const button = document.querySelector('[data-testid="estop"]');
    const box = button.getBoundingClientRect();
    const isInside = box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
    const inset = 6; // its corners are round
    const points = [box.left + inset, box.right - inset].flatMap((x) => [box.top + inset, box.bottom - inset].map((y) => [x, y]));
    points.push([(box.left + box.right) / 2, (box.top + box.bottom) / 2]);
    const covers = points.map(([x, y]) => document.elementFromPoint(x, y)).filter((found) => !button.contains(found));
    const isCut = [...button.querySelectorAll("span")].some((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0);
    return isInside && box.width >= 120 && box.height >= 44 && covers.length === 0 && !isCut;
  });
}

describe("the emergency stop", () => {
  test("is in reach at every width from 320 px, under dialogs and notes too", async () => {
    const server = await start();
    const page = await openPage(browser, server.url);
    for (const width of [320, 360, 480, 520, 521, 640, 860, 899, 900, 901, 1024, 1180, 1280]) {
      await page.setViewportSize({ width, height: 640 });
      for (const tab of tabs) {
        await page.click(id(`tab-${tab}`));
        assert.ok(await isInReach(page), `${width} px, ${tab}`);
      }
      await page.keyboard.press("Escape"); // a note says that once more is a stop
      await page.click(id("help"));
      assert.ok(await isInReach(page), `${width} px, with a dialog and a note`);
      await painted(page);
      await shot(page, `stop-${width}`);
      await page.evaluate(() => document.querySelector("dialog[open]").close());
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${width} px: nothing beyond the edge, ${overflow}`);
    }
    await page.click(id("estop"));
    await until("it is stopped", async () => (await probe(page, "state")) === "estopped");
    assert.deepEqual(page.complaints, []);
    await page.context().close();
    await server.stop();
  });

  test("is in force while io hangs, for an observer with a token too", async () => {
    const server = await start({ token, role: "observer" });
    const page = await openPage(browser, server.url, { hash: `#token=${token}` });
    const io = server.child("kinloop-io");
    process.kill(io, "SIGSTOP");
    await page.click(id("estop"));
    await until("the supervisor confirms it", async () => /latched in tick \d+/.test(await text(page, "estop-hint")));
    await shot(page, "stop-io-hangs");
    goOn(io);
    await until("the page sees it too", async () => (await probe(page, "state")) === "estopped");
    await page.context().close();
    await server.stop();
  });

  test("says that it is not confirmed until it is, and is asked again until then", async () => {
    const server = await start();
    const page = await openPage(browser, server.url);
    const io = server.child("kinloop-io");
    process.kill(io, "SIGSTOP");
    process.kill(server.pid, "SIGSTOP");
    await page.click(id("estop"));
    await sleep(2500); // beyond the first answer's patience
    await until("it is said", async () => (await text(page, "estop-hint")) === "not confirmed");
    assert.equal(await text(page, "deadlines"), "Not known", "what is not heard of is not called well");
    await shot(page, "stop-not-confirmed");
    goOn(server.pid);
    await until("it is confirmed", async () => /latched in tick \d+|until re-armed/.test(await text(page, "estop-hint")));
    goOn(io);
    await page.context().close();
    await server.stop();
  });

  test("is not lost where io dies and the page reconnects", async () => {
    const server = await start();
    const page = await openPage(browser, server.url);
    process.kill(server.child("kinloop-io"), "SIGKILL");
    await page.click(id("estop"));
    await until("it is stopped", async () => (await probe(page, "state")) === "estopped");
    await page.context().close();
    await server.stop();
  });

  test("is refused to pages of other sites and without a token, and answered to a script", async () => {
    const server = await start({ token });
    const page = await openPage(browser, server.url, { hash: `#token=${token}` });
    const describe = await (await fetch(`${server.url}api/describe`, { headers: { Authorization: `Bearer ${token}` } })).json();
    const stop = describe.endpoints.find((one) => one.socket === "stop" && one.address.startsWith("http")).address;
    const ask = async (headers) => (await fetch(`${stop}/stop`, { method: "POST", headers })).status;
    assert.equal(await ask({}), 401);
    assert.equal(await ask({ Authorization: `Bearer ${token}`, Origin: "http://127.0.0.1:1" }), 403);
    assert.equal(await ask({ Authorization: `Bearer ${token}`, Origin: "http://elsewhere.example" }), 403);
    assert.notEqual(await probe(page, "state"), "estopped", "none of them stopped it");
    assert.equal(await ask({ Authorization: `Bearer ${token}`, Origin: new URL(server.url).origin }), 200);
    await until("it is stopped", async () => (await probe(page, "state")) === "estopped");
    await page.context().close();
    await server.stop();
  });
});
