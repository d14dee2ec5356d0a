// Driving from the page: sliders, keys, gamepads, who may, the emergency stop; with the excavator.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { axis, distance, dragAxis, id, openPage, plantGoesOn, pose, probe, release, restingPose, shot, soon, startBrowser, startServer, takeControl, text, until } from "./support.mjs";

let browser;
let server;
before(async () => {
  browser = await startBrowser();
  server = await startServer();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

describe("driving", () => {
  test("a slider moves the plant, and its picture", async () => {
    const page = await openPage(browser, server.url);
    const canvas = page.locator(id("canvas"));
    const [from, picture] = [await pose(page), await canvas.screenshot()];
    await dragAxis(page, axis, 1, async () => distance(from, await pose(page)) > 0.05);
    await until("a picture was drawn since", async () => !(await canvas.screenshot()).equals(picture));
    await shot(page, "driving");
    await page.mouse.up();
    await until("it springs back", async () => (await page.inputValue(id(`axis-${axis}`))) === "0");
    await release(page);
    await page.context().close();
  });

  test("keys move the plant only while control is held", async () => {
    const page = await openPage(browser, server.url);
    const shown = await page.locator(`${id(`axis-row-${axis}`)} .axis-end.start kbd`).textContent();
    const code = { "↑": "ArrowUp", "↓": "ArrowDown", "←": "ArrowLeft", "→": "ArrowRight" }[shown] ?? shown.toLowerCase();
    const from = await pose(page);
    await page.keyboard.down(code);
    await plantGoesOn(page, 0.5);
    await page.keyboard.up(code);
    assert.ok(distance(from, await pose(page)) < 0.01, "nobody holds control");
    await takeControl(page);
    await until("keys move it", async () => {
      await page.keyboard.down(code); // a fresh press re-arms what a stall made safe
      const moved = await soon(async () => distance(from, await pose(page)) > 0.03);
      await page.keyboard.up(code);
      return moved;
    });
    await release(page);
    await page.context().close();
  });

  test("a gamepad moves the plant only while control is held", async () => {
    const page = await openPage(browser, server.url, {
      before: () => {
        const pad = { id: "a gamepad", index: 0, connected: true, mapping: "standard", axes: [0, 0, 0, 0], buttons: [], timestamp: 0 };
        window.padReads = 0;
        navigator.getGamepads = () => {
          ++window.padReads;
          return [pad];
        };
        window.tilt = (value) => (pad.axes[3] = value);
      },
    });
    await until("it is seen", async () => /a gamepad/.test(await text(page, "gamepad")));
    const from = await restingPose(page);
    await page.evaluate(() => window.tilt(-1));
    await plantGoesOn(page, 0.5);
    assert.ok(distance(from, await pose(page)) < 0.01, "nobody holds control");
    await takeControl(page);
    await plantGoesOn(page, 0.5);
    assert.ok(distance(from, await pose(page)) < 0.01, "it was tilted before");
    await until("the stick moves it", async () => {
      await page.evaluate(() => window.tilt(0));
      await takeControl(page);
      const reads = await page.evaluate(() => window.padReads);
      await page.waitForFunction((before) => window.padReads > before + 2, reads); // at rest, by who holds control
      await page.evaluate(() => window.tilt(1));
      return soon(async () => distance(from, await pose(page)) > 0.03);
    });
    await page.evaluate(() => window.tilt(0));
    await release(page);
    await page.context().close();
  });

  test("a page that is hidden gives control back", async () => {
    const page = await openPage(browser, server.url);
    await takeControl(page);
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    assert.equal(await page.getAttribute(id("take-control"), "aria-pressed"), "false");
    await page.evaluate(() => {
      delete document.hidden;
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await until("nobody commands", async () => /Nobody/.test(await text(page, "lease-state")));
    await page.context().close();
  });

  test("a second page is told who holds control", async () => {
    const first = await openPage(browser, server.url);
    const second = await openPage(browser, server.url);
    await until("the second is refused while the first holds", async () => {
      await takeControl(first);
      await second.click(id("take-control"));
      return soon(async () => {
        const isTold = /panel/.test(await text(second, "lease-state"));
        return isTold && (await second.getAttribute(id("take-control"), "aria-pressed")) === "false";
      });
    });
    await release(first);
    await first.context().close();
    await second.context().close();
  });

  test("the emergency stop stops it, until it is re-armed in two clicks", async () => {
    const page = await openPage(browser, server.url);
    const from = await pose(page);
    await dragAxis(page, axis, 1, async () => distance(from, await pose(page)) > 0.03);
    await page.mouse.up();
    await page.click(id("estop"));
    await until("it is stopped", async () => (await probe(page, "state")) === "estopped");
    const stopped = await restingPose(page);
    await takeControl(page);
    const box = await page.locator(id(`axis-${axis}`)).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 10, box.y + box.height / 2, { steps: 4 });
    await plantGoesOn(page, 1);
    assert.ok(distance(stopped, await pose(page)) < 0.01, "commands do not move it");
    await until("it is said", async () => /Emergency stop/.test(await text(page, "banner")));
    await shot(page, "estopped");
    await page.mouse.up();
    await page.click(id("rearm"));
    assert.equal(await probe(page, "state"), "estopped", "one click is not enough");
    await page.click(id("rearm"));
    await until("it is re-armed", async () => (await probe(page, "state")) !== "estopped");
    await release(page);
    await page.context().close();
  });
});
