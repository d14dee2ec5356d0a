// The page in a browser, against the mock or against the excavator (support.mjs says how).
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { distance, dragAxis, id, isMock, locking, openPage, shot, sleep, startBrowser, startServer, takeControl, until } from "./support.mjs";

const axis = "boom";
const body = "boom";
const token = "a-token-of-the-tests-0123456789abcdef";
const tabs = ["drive", "plots", "timing", "instructor", "events"];

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

const pose = (page) => page.evaluate((name) => window.kinloop.bodyPose(name), body);
const probe = (page, key) => page.evaluate((name) => window.kinloop[name], key);
const visible = (page, name) => page.locator(id(name)).isVisible();
const text = (page, name) => page.locator(id(name)).textContent();

/** Where the body is once it has stopped moving. */
async function restingPose(page) {
  for (let before = await pose(page); ; ) {
    await sleep(400);
    const now = await pose(page);
    if (distance(before, now) < 1e-4) return now;
    before = now;
  }
}

async function release(page) {
  await page.mouse.up();
  if ((await page.getAttribute(id("take-control"), "aria-pressed")) === "true") await page.click(id("take-control"));
}

/** How many colours an area shows: an empty picture has few. */
async function coloursOf(page, locator) {
  const png = await locator.screenshot();
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4 * 7) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return colours.size;
  }, png.toString("base64"));
}

describe("the page", () => {
  test("loads, shows the rig and complains of nothing", async () => {
    const page = await openPage(browser, server.url);
    assert.notEqual(await text(page, "rig-name"), "–");
    await until("the state is shown", async () => /Running|Paused|Waiting/.test(await text(page, "state")));
    assert.ok((await coloursOf(page, page.locator(id("canvas")))) > 200, "there is a picture");
    for (const tab of tabs) {
      await page.click(id(`tab-${tab}`));
      assert.ok(await visible(page, `panel-${tab}`));
    }
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });

  test("goes on by itself: time, steps, pictures", async () => {
    const page = await openPage(browser, server.url);
    const [time, step] = [await probe(page, "time"), await probe(page, "step")];
    await sleep(1000);
    assert.ok((await probe(page, "time")) > time + 0.3);
    assert.ok((await probe(page, "step")) > step);
    await page.context().close();
  });

  test("fits into 1280 by 720, the emergency stop in the same place on every tab", async () => {
    const page = await openPage(browser, server.url);
    const places = [];
    for (const tab of tabs) {
      await page.click(id(`tab-${tab}`));
      await sleep(300);
      places.push(JSON.stringify(await page.locator(id("estop")).boundingBox()));
      const overflow = await page.evaluate((name) => {
        const panel = document.querySelector(`[data-testid="panel-${name}"]`);
        const root = document.documentElement;
        const cut = [...document.querySelectorAll("button")].filter((one) => one.scrollWidth > one.clientWidth + 1).length;
        return [root.scrollWidth - root.clientWidth, root.scrollHeight - root.clientHeight, panel.scrollWidth - panel.clientWidth, cut];
      }, tab);
      assert.deepEqual(overflow, [0, 0, 0, 0], tab);
      await shot(page, `light-${tab}`);
    }
    assert.equal(new Set(places).size, 1);
    await page.context().close();
  });

  test("follows the system's theme, can be switched, remembers", async () => {
    const page = await openPage(browser, server.url, { scheme: "dark" });
    const dark = () => page.evaluate(() => document.documentElement.dataset.theme);
    assert.equal(await dark(), "dark");
    for (const tab of tabs) {
      await page.click(id(`tab-${tab}`));
      await sleep(300);
      await shot(page, `dark-${tab}`);
    }
    await page.click(id("theme"));
    assert.equal(await dark(), "light");
    await page.reload();
    await page.waitForFunction(() => window.kinloop?.connected);
    assert.equal(await dark(), "light");
    await page.context().close();
  });
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
    await sleep(500);
    await page.keyboard.up(code);
    assert.ok(distance(from, await pose(page)) < 0.01, "nobody holds control");
    await takeControl(page);
    await until("keys move it", async () => {
      await page.keyboard.down(code);
      await sleep(700);
      await page.keyboard.up(code);
      await sleep(100);
      return distance(from, await pose(page)) > 0.03;
    });
    await release(page);
    await page.context().close();
  });

  test("a gamepad moves the plant only while control is held", async () => {
    const page = await openPage(browser, server.url, {
      before: () => {
        const pad = { id: "a gamepad", index: 0, connected: true, mapping: "standard", axes: [0, 0, 0, 0], buttons: [], timestamp: 0 };
        navigator.getGamepads = () => [pad];
        window.tilt = (value) => (pad.axes[3] = value);
      },
    });
    await until("it is seen", async () => /a gamepad/.test(await text(page, "gamepad")));
    const from = await restingPose(page);
    await page.evaluate(() => window.tilt(-1));
    await sleep(500);
    assert.ok(distance(from, await pose(page)) < 0.01, "nobody holds control");
    await takeControl(page);
    await sleep(500);
    assert.ok(distance(from, await pose(page)) < 0.01, "it was tilted before");
    await until("the stick moves it", async () => {
      await page.evaluate(() => window.tilt(0));
      await takeControl(page);
      await sleep(300);
      await page.evaluate(() => window.tilt(1));
      await sleep(700);
      return distance(from, await pose(page)) > 0.03;
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
      await sleep(400);
      const said = await text(second, "lease-state");
      return /panel/.test(said) && (await second.getAttribute(id("take-control"), "aria-pressed")) === "false";
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
    await sleep(1500); // what moves comes to rest
    const stopped = await pose(page);
    await takeControl(page);
    const box = await page.locator(id(`axis-${axis}`)).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 10, box.y + box.height / 2, { steps: 4 });
    await sleep(1000);
    assert.ok(distance(stopped, await pose(page)) < 0.01, "commands do not move it");
    assert.match(await text(page, "banner"), /Emergency stop/);
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

describe("keyboard", () => {
  test("Escape twice stops, ? helps, digits change tabs", async () => {
    const page = await openPage(browser, server.url);
    await page.keyboard.press("?");
    assert.ok(await visible(page, "help-sheet"));
    await shot(page, "help");
    await page.click(id("help-close"));
    await page.keyboard.press("3");
    assert.ok(await visible(page, "panel-timing"));
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await until("it is stopped", async () => (await probe(page, "state")) === "estopped");
    await page.click(id("rearm"));
    await page.click(id("rearm"));
    await until("it is re-armed", async () => (await probe(page, "state")) !== "estopped");
    await page.context().close();
  });

  test("everything can be reached, and one sees where one is", async () => {
    const page = await openPage(browser, server.url);
    const seen = new Set();
    for (let i = 0; i < 40; ++i) {
      await page.keyboard.press("Tab");
      const [name, outline] = await page.evaluate(() => {
        const element = document.activeElement;
        const style = getComputedStyle(element);
        return [element.dataset.testid ?? element.tagName, style.outlineStyle !== "none" || element.classList.contains("splitter")];
      });
      seen.add(name);
      if (name !== "BODY") assert.ok(outline, `${name} shows its focus`);
    }
    for (const name of ["estop", "theme", "help", "tab-drive", "take-control", "show-forces", "camera-fit", "splitter"]) assert.ok(seen.has(name), name);
    await page.context().close();
  });
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
    await sleep(300);
    const step = await probe(page, "step");
    await page.fill(id("run-steps"), "100");
    await page.click(id("run-step"));
    await until("it stepped", async () => (await probe(page, "step")) === step + 100);
    await sleep(2500); // the last pictures, one of them with all pixels
    const drawn = await probe(page, "frames");
    await sleep(1000);
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
    await sleep(1000);
    const time = await probe(page, "time");
    await page.click(id("snapshot-restore-here"));
    await until("time went back", async () => (await probe(page, "time")) < time);
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

  test("overrides a sensor, sees what it shows", { skip: isMock }, async () => {
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

  test("pushes a body", { skip: isMock }, async () => {
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

  test("records to a file with a name, and ends it", { skip: isMock }, async () => {
    const page = await openPage(browser, server.url);
    await page.click(id("tab-instructor"));
    await page.fill(id("record-name"), `by-hand-${Date.now()}.mcap`);
    await page.click(id("record-toggle"));
    await until("it says so", async () => /Recording to.*by-hand/.test(await text(page, "record-state")));
    await sleep(500);
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
    assert.match(await text(page, "events"), /No events/);
    await page.context().close();
  });
});

describe("looking", () => {
  test("plots: signals are searched, added, paused, downloaded", async () => {
    const page = await openPage(browser, server.url);
    await page.click(id("tab-plots"));
    await page.click(id("plots-add"));
    const pane = page.locator(id("pane")).last();
    await pane.locator(id("pane-add-signal")).click();
    await pane.locator(id("signal-search")).fill("q.");
    await pane.locator("[role=option]").first().click();
    await page.keyboard.press("Escape");
    await sleep(1500);
    const [download] = await Promise.all([page.waitForEvent("download"), pane.locator(id("pane-csv")).click()]);
    const lines = (await streamText(await download.createReadStream())).trim().split("\n");
    assert.match(lines[0], /^time_s,q\./);
    assert.ok(lines.length > 5);
    await page.click(id("plots-pause"));
    assert.equal(await page.getAttribute(id("plots-pause"), "aria-pressed"), "true");
    await shot(page, "plots-added");
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });

  test("forces, joints and traces can be shown", async () => {
    const page = await openPage(browser, server.url);
    await page.click(id("show-forces"));
    await page.click(id("show-joints"));
    await page.click(id("show-traces"));
    await page.check(id(`trace-${body}`));
    await page.click(id("show-traces"));
    assert.ok(await visible(page, "force-legend"));
    await page.click(id("camera-side"));
    await sleep(2000);
    await shot(page, "forces");
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });

  test("timing: a sentence, histograms, worst steps", async () => {
    const page = await openPage(browser, server.url);
    await page.click(id("tab-timing"));
    await until("there is a verdict", async () => /deadline/.test(await text(page, "deadline-sentence")));
    await until("there are bars", async () => (await page.locator(`${id("histogram-execution")} rect`).count()) > 0);
    await page.click(id("span-page"));
    await until("worst steps are listed", async () => (await page.locator(`${id("worst-steps")} tbody tr`).count()) > 0);
    await page.context().close();
  });
});

describe("trouble", () => {
  test("a killed server shows as disconnected, and the page recovers without a reload", async () => {
    const own = await startServer();
    const page = await openPage(browser, own.url);
    await own.stop("SIGKILL");
    await until("it is disconnected", async () => (await probe(page, "connected")) === false);
    await until("it is said", async () => /Disconnected/.test(await text(page, "banner")));
    await sleep(1200);
    assert.match(await text(page, "banner"), /old/);
    assert.ok(await page.locator(".view.gone").isVisible(), "the picture is greyed");
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
    await page.click(id("tab-instructor"));
    assert.ok(await page.isDisabled(id("fault-inject")));
    await shot(page, "observer");
    await page.click(id("estop"));
    await until("it is stopped", async () => (await probe(page, "state")) === "estopped");
    await page.context().close();
    await own.stop();
  });

  test("a failed step is shown as such", async () => {
    const own = await startServer({ rig: locking });
    const page = await openPage(browser, own.url, { scheme: "dark" });
    if (isMock) {
      await page.click(id("tab-instructor"));
      await page.fill(id("note-text"), "mock: fault");
      await page.click(id("note-send"));
    }
    await until("it is faulted", async () => (await probe(page, "state")) === "faulted");
    assert.match(await text(page, "banner"), /step failed/i);
    await sleep(300);
    await shot(page, "faulted");
    await page.context().close();
    await own.stop();
  });
});

async function streamText(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
