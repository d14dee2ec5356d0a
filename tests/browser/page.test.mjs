// The page as such: what it shows, keys, plots, pictures; with the excavator.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { body, drawn, id, openPage, painted, probe, shot, startBrowser, startServer, text, until, visible } from "./support.mjs";

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
    const [time, step, frames] = [await probe(page, "time"), await probe(page, "step"), await probe(page, "frames")];
    await until("time goes on", async () => (await probe(page, "time")) > time + 0.3);
    await until("steps are counted", async () => (await probe(page, "step")) > step); // they come with the status
    await until("pictures are drawn", async () => (await probe(page, "frames")) > frames);
    await page.context().close();
  });

  test("fits into 1280 by 720, the emergency stop in the same place on every tab", async () => {
    const page = await openPage(browser, server.url);
    const places = [];
    for (const tab of tabs) {
      await page.click(id(`tab-${tab}`));
      await painted(page);
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
      await painted(page);
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
    await until("there are samples", async () => {
      const [download] = await Promise.all([page.waitForEvent("download"), pane.locator(id("pane-csv")).click()]);
      const lines = (await streamText(await download.createReadStream())).trim().split("\n");
      assert.match(lines[0], /^time_s,q\./);
      return lines.length > 5;
    });
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
    await until("the legend is there", () => visible(page, "force-legend"));
    await page.click(id("camera-side"));
    await drawn(page, 5);
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

async function streamText(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
