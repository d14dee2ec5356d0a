// The pages of the rigs beside the excavator: each mechanism is shown, moves under a hand, and shows what acts on it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { distance, dragAxis, drawn, id, openPage, patientRig, shot, startBrowser, startServer } from "./support.mjs";

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

describe("rigs", () => {
  for (const { rig, axis, reach, body } of rigs) {
    test(`${rig} moves under a hand`, async () => {
      const server = await startServer({ rig: patientRig(rig) });
      try {
        const page = await openPage(browser, server.url);
        const pose = () => page.evaluate((name) => window.kinloop.bodyPose(name), body);
        assert.equal((await page.locator(id("rig-name")).textContent()).trim(), rig);
        await page.click(id("show-forces"));
        const from = await pose();
        await dragAxis(page, axis, reach, async () => distance(from, await pose()) > 0.01);
        await drawn(page, 3);
        await shot(page, `rig-${rig}`);
        await page.mouse.up();
        assert.deepEqual(page.complaints, []);
        await page.context().close();
      } finally {
        await server.stop();
      }
    });
  }
});
