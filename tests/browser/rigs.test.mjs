// The pages of the rigs beside the excavator: each mechanism is shown, moves under a hand, and shows what acts on it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { id, isMock, openPage, shot, sleep, startBrowser, startServer, until } from "./support.mjs";

// The axis that is moved, how far (of the slider's half), a body that follows.
const rigs = [
  { rig: "crane", axis: "inner_boom", reach: 0.9, body: "inner_boom" },
  { rig: "double_wishbone", axis: "shaker", reach: 0.5, body: "knuckle" },
  { rig: "stewart", axis: "leg1", reach: 0.5, body: "platform" },
  { rig: "four_bar", axis: "motor", reach: 0.9, body: "crank" },
  { rig: "five_bar", axis: "shoulder", reach: 0.5, body: "link1" },
  { rig: "cart_pole", axis: "belt", reach: 0.5, body: "cart" },
];

let browser;
before(async () => {
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
});

describe("rigs", { skip: isMock }, () => {
  for (const { rig, axis, reach, body } of rigs) {
    test(`${rig} moves under a hand`, async () => {
      const server = await startServer({ rig });
      try {
        const page = await openPage(browser, server.url);
        const pose = () => page.evaluate((name) => window.kinloop.bodyPose(name), body);
        assert.equal((await page.locator(id("rig-name")).textContent()).trim(), rig);
        await page.click(id("show-forces"));
        const slider = page.locator(id(`axis-${axis}`));
        const box = await slider.boundingBox();
        const from = await pose();
        await until("the axis moves it", async () => {
          if ((await page.getAttribute(id("take-control"), "aria-pressed")) !== "true") await page.click(id("take-control"));
          await sleep(200);
          await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
          await page.mouse.down();
          await page.mouse.move(box.x + (0.5 + 0.5 * reach) * box.width - 5, box.y + box.height / 2, { steps: 4 });
          await sleep(1500);
          const moved = Math.hypot(...(await pose()).map((value, i) => value - from[i])) > 0.01;
          if (moved) await shot(page, `rig-${rig}`);
          await page.mouse.up();
          return moved;
        }, { patience_ms: 20_000 });
        assert.deepEqual(page.complaints, []);
        await page.context().close();
      } finally {
        await server.stop();
      }
    });
  }
});
