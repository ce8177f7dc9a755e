// node --test tests/report/test.mjs: reports as a reader has them, on a desk and on a phone, light and dark.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { Chromium } from "./chromium.mjs";

const { TAILRACE_PAGES: pages, TAILRACE_BROWSER: program, TAILRACE_AXE: axeFile, TAILRACE_SCREENSHOTS: pictures } = process.env;
const axe = readFileSync(axeFile, "utf8");
const names = readdirSync(pages).filter((f) => f.endsWith(".html")).map((f) => f.replace(".html", "")).sort();
const READERS = {
  desk: {},
  "desk, dark": { dark: true },
  phone: { width: 390, height: 844, phone: true },
  "phone, dark": { width: 390, height: 844, phone: true, dark: true },
};

let browser;
before(() => { browser = new Chromium(program); });
after(() => browser.close());

async function opened(name, options) {
  const page = await browser.page(options);
  await page.open(`file://${resolve(join(pages, `${name}.html`))}`);
  return page;
}

/** What axe-core finds against a page, with everything unfolded. */
async function violations(page) {
  await page.run(`${axe};for (const one of document.querySelectorAll("details")) one.open = true;`);
  return page.run(`axe.run().then(({ violations }) => violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html).join(" | ")))`);
}

test("there is a page of every kind", () =>
  assert.deepEqual(names, ["comparison", "hostile", "reproduction", "run", "sweep"]));

for (const name of names) {
  for (const [reader, options] of Object.entries(READERS)) {
    test(`${name}, ${reader}: nothing fails, nothing is fetched, nothing sticks out, axe-core has nothing against it`, async () => {
      const page = await opened(name, options);
      assert.equal(await page.run("document.documentElement.classList.contains('scripted')"), true);
      assert.deepEqual(await violations(page), []);
      assert.equal(await page.run("document.documentElement.scrollWidth <= innerWidth"), true);
      assert.deepEqual(page.errors, []);
      const foreign = page.asked.filter((url) => !/^(file|data|blob):/.test(url));
      assert.deepEqual(foreign, []);
      if (pictures) writeFileSync(join(pictures, `${name}-${reader.replace(", ", "-")}.png`), await page.screenshot());
      await page.close();
    });
  }
  test(`${name}: without scripts there are the answer, tables and pictures`, async () => {
    const page = await opened(name, { script: false });
    const { root } = await page.send("DOM.getDocument", { depth: -1 });
    const shown = async (selector) => {
      const { nodeIds } = await page.send("DOM.querySelectorAll", { nodeId: root.nodeId, selector });
      const boxes = await Promise.all(nodeIds.map((nodeId) => page.send("DOM.getBoxModel", { nodeId }).catch(() => null)));
      return boxes.filter((box) => box && box.model.height > 0).length;
    };
    assert.ok((await shown(".lead")) > 0);
    assert.ok((await shown("table.data")) > 0);
    assert.ok((await shown("img.still")) > 0);
    assert.equal(await shown(".tools"), 0);
    await page.close();
  });
}

test("a name that would end a script is text, and a script beside the page's own is not run", async () => {
  const page = await opened("hostile");
  assert.ok(await page.run(`document.querySelector(".question").textContent.startsWith("</script><b>")`));
  assert.ok(await page.run(`[...document.querySelectorAll(".lead, .legend")].some((e) => e.textContent.includes("</script><b>tcp")) ||
    document.querySelector(".answer").textContent.includes("</script><b>tcp")`));
  await page.run(`document.body.append(Object.assign(document.createElement("script"), { textContent: "globalThis.harmed = true" }))`);
  assert.equal(await page.run("globalThis.harmed === undefined"), true);
  await page.close();
});

describe("figures over time", () => {
  let page;
  const state = (expression) => page.run(expression);
  before(async () => { page = await opened("run"); });
  after(() => page.close());

  const texts = `document.querySelector("#time-tools .said").textContent`;
  const press = (words) => `[...document.querySelectorAll("#time-tools button")].find((b) => b.textContent === ${JSON.stringify(words)}).click()`;

  test("a drag zooms all of them, and the button shows the whole run again", async () => {
    assert.match(await state(texts), /^0 to 6 s/);
    const { x, y, width } = await state(`(() => { const b = document.querySelector(".u-over"); b.scrollIntoView({ block: "center", behavior: "instant" });
      const { x, y, width } = b.getBoundingClientRect(); return { x, y, width }; })()`);
    const mouse = (type, at) => page.send("Input.dispatchMouseEvent", { type, x: at, y: y + 60, button: "left", buttons: 1, clickCount: 1 });
    await mouse("mousePressed", x + width * 0.25);
    await mouse("mouseMoved", x + width * 0.5);
    await mouse("mouseMoved", x + width * 0.75);
    await mouse("mouseReleased", x + width * 0.75);
    const [, from, to] = /^([\d.]+) to ([\d.]+) s/.exec(await state(texts)).map(Number);
    assert.ok(Math.abs(from - 1.5) < 0.05 && Math.abs(to - 4.5) < 0.05, `${from} to ${to}`);
    await state(press("Whole run"));
    assert.match(await state(texts), /^0 to 6 s/);
  });

  test("the keyboard moves the cursor of all, and zooms", async () => {
    await state(`document.querySelector(".plot").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", shiftKey: true, bubbles: true }))`);
    const values = await state(`[...document.querySelectorAll("figure .legend")].map((l) => l.querySelector(".value").textContent)`);
    assert.ok(values.length > 5);
    assert.ok(values.filter((text) => text !== "").length > 5, JSON.stringify(values));
    await state(`document.querySelector(".plot").dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true }))`);
    assert.match(await state(texts), /^1.5 to 4.5 s/);
    for (const _ of [1, 2]) await state(press("→"));
    assert.match(await state(texts), /^3 to 6 s/);
    await state(press("←"));
    assert.match(await state(texts), /^1.5 to 4.5 s/);
    await state(press("Whole run"));
  });

  test("a line that is switched off is off in all of them", async () => {
    const pressed = `[...document.querySelectorAll(".legend button")].filter((b) => b.textContent.startsWith("cbr")).map((b) => b.getAttribute("aria-pressed"))`;
    await state(`[...document.querySelectorAll(".legend button")].find((b) => b.textContent.startsWith("cbr")).click()`);
    const found = await state(pressed);
    assert.ok(found.length > 2);
    assert.deepEqual([...new Set(found)], ["false"]);
  });

  test("a run can be looked at by itself, and an axis be logarithmic", async () => {
    await state(`(() => { const s = document.querySelector("#time-tools select"); s.value = "run 2"; s.dispatchEvent(new Event("change")); })()`);
    assert.match(await state(texts), /samples as recorded/);
    await state(`document.querySelector('figure button[title="Logarithmic vertical axis"]').click()`);
    assert.deepEqual(page.errors, []);
  });
});

describe("tables", () => {
  let page;
  before(async () => { page = await opened("comparison"); });
  after(() => page.close());

  test("are sorted by a click, numbers from the largest on", async () => {
    const column = (place) => `[...document.querySelector("#tables table").tBodies[0].rows].map((r) => r.cells[${place}].textContent)`;
    await page.run(`document.querySelectorAll("#tables thead button")[2].click()`);
    const numbers = (await page.run(column(2))).map(parseFloat);
    assert.deepEqual(numbers, numbers.toSorted((a, b) => b - a));
    assert.equal(await page.run(`document.querySelector('#tables th[aria-sort]').getAttribute("aria-sort")`), "descending");
    // Sorted, every row still says which variant it is of.
    assert.ok((await page.run(column(0))).every((text) => text !== ""));
  });

  test("are copied with tabs", async () => {
    await page.run(`globalThis.copied = null;
      Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { globalThis.copied = text; } } });
      [...document.querySelectorAll("#tables .tools button")].find((b) => b.textContent === "Copy").click()`);
    const text = await page.run("copied");
    assert.match(text.split("\n")[0], /^variant\tflows\tgoodput Mbit\/s\t/);
    assert.equal(text.trimEnd().split("\n").length, 9);
  });
});

describe("cells", () => {
  let page;
  before(async () => { page = await opened("sweep"); });
  after(() => page.close());

  test("any metric can be seen along any parameter, the others being held", async () => {
    const labels = () => page.run(`[...document.querySelectorAll(".cells label")].map((l) => l.firstChild.textContent)`);
    assert.deepEqual(await labels(), ["Metric", "Along", "A line for each", "record.interval"]);
    await page.run(`(() => { const s = document.querySelectorAll(".cells select")[1]; s.value = "0"; s.dispatchEvent(new Event("change")); })()`);
    const lines = await page.run(`[...document.querySelectorAll(".cells .legend .name")].map((n) => n.textContent)`);
    assert.deepEqual(lines, ["1 Mbit/s", "2 Mbit/s", "4 Mbit/s"]);
    for (let i = 0; i < 6; i += 1)
      await page.run(`(() => { const s = document.querySelector(".cells select"); s.selectedIndex = ${i} % s.length; s.dispatchEvent(new Event("change")); })()`);
    assert.deepEqual(page.errors, []);
  });
});
