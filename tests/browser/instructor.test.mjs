// What an instructor does from the page: faults, pauses, snapshots, parameters, scenarios; with the excavator.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { distance, id, openPage, plantGoesOn, pose, probe, restingPose, shot, sleep, startBrowser, startServer, steady, text, until, visible } from "./support.mjs";

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

describe("the instructor", () => {
  test("injects a fault, sees it everywhere, clears it", async () => {
    const page = await openPage(browser, server.url);
    await page.click(id("tab-instructor"));
    const signal = await page.locator(`${id("fault-signal")} option`).first().textContent();
    await page.selectOption(id("fault-kind"), { label: "Bias" });
    await page.fill(id("fault-value"), "0.25");
    await page.click(id("fault-inject"));
    await until("it is listed", async () => (await text(page, "faults")).includes(signal));
    await until("the top bar says so", async () => /1 fault injected/.test(await text(page, "flags")));
    await page.locator(id("section-faults")).scrollIntoViewIfNeeded();
    await shot(page, "fault");
    await page.click(id("fault-clear-all"));
    await until("it is gone", async () => !(await text(page, "faults")).includes(signal));
    await page.context().close();
  });

  test("pauses, steps, resumes", async () => {
    const page = await openPage(browser, server.url);
    await page.click(id("tab-instructor"));
    await page.click(id("run-pause"));
    await until("it is paused", async () => (await probe(page, "state")) === "paused");
    const step = await steady(page, "step", 500);
    await page.fill(id("run-steps"), "100");
    await page.click(id("run-step"));
    await until("it stepped", async () => (await probe(page, "step")) === step + 100);
    const drawn = await steady(page, "frames", 1000); // after the last pictures, one of them with all pixels
    await sleep(1000); // in which nothing is to happen
    assert.equal(await probe(page, "frames"), drawn, "what stands still is not drawn again");
    await shot(page, "paused");
    await page.click(id("run-resume"));
    await until("it runs", async () => (await probe(page, "state")) !== "paused");
    await page.context().close();
  });

  test("keeps a snapshot and goes back to it", async () => {
    const page = await openPage(browser, server.url);
    await page.click(id("tab-instructor"));
    await page.fill(id("snapshot-name"), "here");
    await page.click(id("snapshot-save"));
    await until("it is kept", () => visible(page, "snapshot-restore-here"));
    await plantGoesOn(page, 1);
    await page.evaluate(() => {
      let last = window.kinloop.time; // looked at often: soon after it went back, time is as late again
      setInterval(() => {
        window.wentBack ||= window.kinloop.time < last;
        last = window.kinloop.time;
      }, 5);
    });
    await page.click(id("snapshot-restore-here"));
    await until("time went back", () => page.evaluate(() => window.wentBack));
    await page.click(id("snapshot-forget-here"));
    await until("it is forgotten", async () => !(await visible(page, "snapshot-restore-here")));
    await page.context().close();
  });

  test("is told beside the field what is wrong with a parameter", async () => {
    const page = await openPage(browser, server.url);
    await page.click(id("tab-instructor"));
    const field = page.locator(`${id("parameters")} input`).first();
    await until("there are parameters", () => field.isVisible());
    const name = await field.getAttribute("aria-label");
    await field.fill("1 parsec_of_nothing");
    await page.click(id("parameters-apply"));
    await until("the error is beside it", () => visible(page, `parameter-error-${name}`));
    await field.scrollIntoViewIfNeeded();
    await shot(page, "parameter-error");
    await page.click(id("parameters-revert"));
    await page.context().close();
  });

  test("a scenario does what the rig file says, a note included", async () => {
    const page = await openPage(browser, server.url);
    await page.click(id("tab-instructor"));
    await page.click(id("scenario-0"));
    await until("its fault is listed", async () => /stuck.*boom/is.test(await text(page, "faults")));
    await page.locator(id("section-scenarios")).scrollIntoViewIfNeeded();
    await shot(page, "scenario");
    await page.click(id("fault-clear-all"));
    await until("it is gone", async () => !/stuck/i.test(await text(page, "faults")));
    await page.click(id("tab-events"));
    await until("its note is there", async () => /boom valve sticks/i.test(await text(page, "events")));
    await page.context().close();
  });

  test("overrides a sensor, sees what it shows", async () => {
    const page = await openPage(browser, server.url);
    await page.click(id("tab-instructor"));
    await page.selectOption(id("fault-signal"), "pump_pressure");
    await page.selectOption(id("fault-kind"), { label: "Override" });
    await page.fill(id("fault-value"), "123456");
    await page.fill(id("fault-duration"), "0");
    await page.click(id("fault-inject"));
    const shown = async () => (await (await fetch(`${server.url}api/sensors`)).json()).sensors.pump_pressure;
    await until("the sensor shows it", async () => (await shown()) === 123456);
    await page.click(id("fault-clear-pump_pressure"));
    await until("the sensor shows what it measures", async () => (await shown()) !== 123456);
    await page.context().close();
  });

  test("pushes a body", async () => {
    const page = await openPage(browser, server.url);
    await page.click(id("tab-instructor"));
    const from = await restingPose(page);
    await page.selectOption(id("push-body"), "boom");
    await page.fill(id("push-y"), "200000");
    await page.fill(id("push-duration"), "0.5");
    await page.click(id("push-apply"));
    await until("it moves", async () => distance(from, await pose(page)) > 1e-3);
    await page.context().close();
  });

  test("records to a file with a name, and ends it", async () => {
    const page = await openPage(browser, server.url);
    await page.click(id("tab-instructor"));
    await page.fill(id("record-name"), `by-hand-${Date.now()}.mcap`);
    await page.click(id("record-toggle"));
    await until("it says so", async () => /Recording to.*by-hand/.test(await text(page, "record-state")));
    await page.locator(id("section-record")).scrollIntoViewIfNeeded();
    await shot(page, "recording");
    await page.click(id("record-toggle"));
    await until("it is over", async () => /Nothing is recorded/.test(await text(page, "record-state")));
    await page.context().close();
  });

  test("writes a note that is in the events", async () => {
    const page = await openPage(browser, server.url);
    await page.click(id("tab-instructor"));
    await page.fill(id("note-text"), "a remark of the test");
    await page.click(id("note-send"));
    await page.click(id("tab-events"));
    await until("it is there", async () => /a remark of the test/.test(await text(page, "events")));
    await page.fill(id("events-filter"), "nothing like this");
    await until("none is left", async () => /No events/.test(await text(page, "events")));
    await page.context().close();
  });
});
