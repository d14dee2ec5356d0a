// What the page makes of trouble: servers that die, tokens, roles, failed steps; with the excavator.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ctl, id, locking, massless, openPage, painted, probe, shot, startBrowser, startServer, text, until, visible } from "./support.mjs";

const token = "a-token-of-the-tests-0123456789abcdef";

let browser;
before(async () => {
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
});

describe("trouble", () => {
  test("a killed server shows as disconnected, and the page recovers without a reload", async () => {
    const own = await startServer();
    const page = await openPage(browser, own.url);
    await own.stop("SIGKILL");
    await until("it is disconnected", async () => (await probe(page, "connected")) === false);
    await until("it is said", async () => /Disconnected/.test(await text(page, "banner")));
    await until("it is said how old the picture is", async () => /old/.test(await text(page, "banner")));
    await until("the picture is greyed", () => page.locator(".view.gone").isVisible());
    await shot(page, "disconnected");
    const again = await startServer({ port: own.port });
    await until("it is connected again", () => probe(page, "connected"), { patience_ms: 20_000 });
    await until("views come again", async () => (await probe(page, "state")) !== "disconnected" && (await probe(page, "step")) > 0);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
    await again.stop();
  });

  test("a token is asked for, and taken out of the URL", async () => {
    const own = await startServer({ token });
    const page = await openPage(browser, own.url, { waits: false });
    await until("it is asked for", () => visible(page, "token-dialog"));
    await shot(page, "token");
    await page.fill(id("token-input"), "another-token-0123456789abcdef");
    await page.click(id("token-ok"));
    await until("it is told that this one is wrong", async () => /does not accept/.test(await text(page, "token-dialog")));
    await page.fill(id("token-input"), token);
    await page.click(id("token-ok"));
    await until("it is connected", () => probe(page, "connected"));
    await page.context().close();
    const other = await openPage(browser, own.url, { hash: `#token=${token}` });
    assert.equal(new URL(other.url()).hash, "");
    await other.context().close();
    await own.stop();
  });

  test("an observer may look and stop, and is told why not more", async () => {
    const own = await startServer({ token, role: "observer" });
    const page = await openPage(browser, own.url, { hash: `#token=${token}` });
    assert.equal(await probe(page, "role"), "observer");
    assert.ok(await page.isDisabled(id("take-control")));
    assert.match(await page.getAttribute(id("take-control"), "title"), /operator/);
    assert.ok(await page.isHidden(id("tab-instructor")));
    await shot(page, "observer");
    await page.click(id("estop"));
    await until("it is stopped", async () => (await probe(page, "state")) === "estopped");
    await page.context().close();
    await own.stop();
  });

  test("an operator runs the plant and sees nothing of what is prepared for him", async () => {
    const own = await startServer({ token, role: "operator" });
    const page = await openPage(browser, own.url, { hash: `#token=${token}` });
    assert.equal(await text(page, "tab-instructor"), "Run");
    await page.click(id("tab-instructor"));
    assert.ok(await page.isEnabled(id("run-pause")));
    for (const section of ["scenarios", "snapshots", "faults", "push", "parameters", "end"]) {
      assert.ok(await page.isHidden(id(`section-${section}`)), section);
    }
    ctl("fault", "boom_pressure_a", "stuck");
    ctl("note", "told to everybody else");
    await page.click(id("run-pause"));
    await page.click(id("tab-events"));
    await until("what came after the fault is told", async () => /Paused/.test(await text(page, "events")));
    assert.doesNotMatch(await text(page, "events"), /fault|boom_pressure|everybody/i);
    assert.doesNotMatch(await text(page, "flags"), /injected/);
    await shot(page, "operator");
    await page.context().close();
    await own.stop();
  });

  test("a page that comes late learns what happened before", async () => {
    const own = await startServer();
    const first = await openPage(browser, own.url);
    await first.click(id("estop"));
    await until("it is stopped", async () => (await probe(first, "state")) === "estopped");
    await first.context().close();
    const late = await openPage(browser, own.url);
    await late.click(id("tab-events"));
    await until("it is told", async () => /Emergency stop/.test(await text(late, "events")));
    // The banner takes its own place: the picture begins below it.
    const [banner, stage] = [await late.locator(id("banner")).boundingBox(), await late.locator(id("stage")).boundingBox()];
    assert.ok(stage.y >= banner.y + banner.height - 1);
    await shot(late, "late");
    await late.context().close();
    await own.stop();
  });

  test("a window locked to one camera shows nothing beside it but the top bar", async () => {
    const own = await startServer();
    const page = await openPage(browser, own.url, { hash: "?view=cab&locked" });
    assert.ok(await page.isHidden(id("camera-iso")));
    assert.ok(await page.isHidden(id("panel-drive")));
    assert.ok(await page.isVisible(id("estop")));
    await painted(page);
    await shot(page, "locked");
    await page.context().close();
    await own.stop();
  });

  test("a failed step is shown as such", async () => {
    const own = await startServer({ rig: locking });
    const page = await openPage(browser, own.url, { scheme: "dark" });
    await until("it is faulted", async () => (await probe(page, "state")) === "faulted");
    await until("it is said", async () => /step failed/i.test(await text(page, "banner")));
    await painted(page);
    await shot(page, "faulted");
    await page.context().close();
    await own.stop();
  });

  test("answers of another formulation are counted", async () => {
    const own = await startServer({ rig: massless });
    const page = await openPage(browser, own.url);
    await page.click(id("tab-timing"));
    await until("there are some", async () => /Fallbacks\s*[1-9]/.test(await text(page, "panel-timing")));
    assert.deepEqual(page.complaints, []);
    await page.context().close();
    await own.stop();
  });
});
