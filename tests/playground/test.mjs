// node --test tests/playground/test.mjs: the playground as a stranger has it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { Chromium } from "../report/chromium.mjs";
import { packed, unpacked } from "../../web/playground/links.js";
import { Schema, completions } from "../../web/playground/completion.js";
import { Reader } from "./reader.mjs";
import { serve } from "./server.mjs";

const { TAILRACE_PLAYGROUND: folder, TAILRACE_SIZES: sizes, TAILRACE_NATIVE: native, TAILRACE_BROWSER: program, TAILRACE_AXE: axeFile, TAILRACE_SCREENSHOTS: pictures } = process.env;
const axe = readFileSync(axeFile, "utf8");
const FIRST = readFileSync("web/playground/first.toml", "utf8");
const FLOOD = readFileSync("scenarios/flood.toml", "utf8");
const KOCHHER = readFileSync("papers/kochher/kochher.toml", "utf8");
const PATHS = readFileSync("scenarios/can-two-paths-carry-one-stream.toml", "utf8");
// Above 2^53, where JavaScript's numbers end.
const SEED = "9007199254740993";
const SEEDED = FIRST.replace('duration = "60 s"', `duration = "10 s"\nseed = ${SEED}`);
const READERS = {
  desk: { width: 1360 },
  "desk, dark": { width: 1360, dark: true },
  phone: { width: 390, height: 844, phone: true },
  "phone, dark": { width: 390, height: 844, phone: true, dark: true },
};
const MEBIBYTE = 1 << 20;

function natively(request) {
  const done = spawnSync(native, { input: `${JSON.stringify(request)}\n`, encoding: "utf8", maxBuffer: 1 << 30 });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout);
}

let browser;
let host;
before(async () => {
  browser = new Chromium(program);
  host = await serve(folder);
});
after(async () => {
  await browser.close();
  host.close();
});

async function opened(place = "", options = READERS.desk, prepare = async () => {}) {
  const page = await browser.page(options);
  await prepare(page);
  await page.open(new URL(place, host.address).href);
  return new Reader(page);
}

const scenarioLink = async (text, more = "") => `#scenario=${await packed(text)}${more}`;

test("what a page loads is at most a mebibyte, compressed as web servers do", () => {
  const [, plain, gzip, brotli] = JSON.parse(readFileSync(sizes, "utf8")).at(-1);
  console.log(`all files: ${plain} bytes, ${gzip} by gzip, ${brotli} by brotli`);
  assert.ok(brotli <= MEBIBYTE, `${brotli} bytes`);
});

describe("the same run as the native one", () => {
  const cases = {
    "the first scenario": ["", { text: FIRST }],
    "flood, cut short": ["#gallery=flood&set=duration%3D15%20s", { text: FLOOD, overrides: [["duration", "15 s"]] }],
    "flood with SFQ, the second run": ["#gallery=flood&set=duration%3D15%20s&set=link.bottleneck.queue%3Dsfq&run=2", { text: FLOOD, overrides: [["duration", "15 s"], ["link.bottleneck.queue", "sfq"]], run: 2 }],
    "a paper's": ["#gallery=kochher&set=duration%3D20%20s", { text: KOCHHER, overrides: [["duration", "20 s"]] }],
    "Multipath TCP": ["#gallery=can-two-paths-carry-one-stream&set=duration%3D15%20s", { text: PATHS, overrides: [["duration", "15 s"]] }],
  };
  for (const [name, [link, request]] of Object.entries(cases)) {
    test(name, async () => {
      const reader = await opened(link);
      assert.equal(await reader.end(), natively(request).fingerprint);
      assert.deepEqual(reader.page.errors, []);
      await reader.page.close();
    });
  }

  test("a seed above 2^53 is not rounded", async () => {
    const reader = await opened(await scenarioLink(SEEDED));
    const expected = natively({ text: SEEDED }).fingerprint;
    assert.equal(await reader.end(), expected);
    assert.match(await reader.textOf("#knobs"), new RegExp(`seed ${SEED}`));
    assert.notEqual(expected, natively({ text: SEEDED.replace(SEED, String(Number(SEED))) }).fingerprint);
    await reader.page.close();
  });

  test("a discipline by its name alone", async () => {
    for (const word of ["queue", "example"]) {
      const reader = await opened(`#${word}=codel`);
      const overrides = [["link.bottleneck.queue", '{ kind = "codel", limit = "100 packets" }']];
      assert.equal(await reader.end(), natively({ text: FIRST, overrides }).fingerprint);
      await reader.page.close();
    }
  });
});

describe("the text of a scenario", () => {
  let reader;
  before(async () => { reader = await opened(); });
  after(() => reader.page.close());

  test("errors are those of the command line, with line and column", async () => {
    const text = FIRST.replace('kind = "droptail"', 'kind = "droptale"').replace('delay = "20 ms"', 'delay = "20 mss"').replace('name = "home"', 'nmae = "home"');
    await reader.type(text);
    const { errors } = natively({ text });
    assert.ok(errors.length > 2);
    await reader.until(`document.querySelectorAll("#problems li.error").length === ${errors.length}`, "the errors");
    const said = await reader.see(`[...document.querySelectorAll("#problems li")].map((e) => e.textContent)`);
    errors.forEach(({ code, line, column, message, help }, i) => {
      assert.ok(said[i].includes(`error (${code}): ${message}`), said[i]);
      assert.ok(said[i].includes(`line ${line}, column ${column}`), said[i]);
      if (help) assert.ok(said[i].includes(help), said[i]);
    });
    assert.ok(said.some((text) => text.includes("did you mean `droptail`?")), said.join("\n"));
    await reader.click("#problems button");
    assert.ok(await reader.see(`document.activeElement.classList.contains("cm-content")`));
    assert.ok((await reader.see(`document.querySelectorAll(".cm-lint-marker-error").length`)) > 0);
  });

  test("what is mended runs, and errors are gone", async () => {
    const text = FIRST.replace('duration = "60 s"', 'duration = "5 s"').replace("count = 4", "count = 2");
    await reader.type(text);
    await reader.until(`document.querySelector("#problems").hidden && document.querySelector("#checked").textContent.includes("no errors")`, "no errors");
    await reader.click("#run");
    await reader.until(`document.querySelector("#clock").textContent.includes("of 5 s")`, "the new run");
    assert.equal(await reader.end(), natively({ text }).fingerprint);
  });

  test("completion says what the schema has for a place", async () => {
    await reader.type("[[link]]\nqueue = { kind = \"codel\", ");
    await reader.key(" ", "Space", 32, true);
    const labels = await reader.until(`(() => { const found = [...document.querySelectorAll(".cm-completionLabel")].map((e) => e.textContent); return found.length ? found : null; })()`, "completion");
    for (const word of ["target", "interval", "limit"]) assert.ok(labels.includes(word), labels.join());
    assert.ok(!labels.includes("kind"));
  });
});

test("completion knows headers, keys, kinds and tables within tables", () => {
  const schema = new Schema(JSON.parse(readFileSync("build/playground/schema.json", "utf8")));
  const words = (text) => {
    const lines = text.split("\n");
    return completions(schema, lines, lines.length - 1, lines.at(-1).length)?.options.map(([word]) => word) ?? [];
  };
  assert.ok(words("[[").includes("[[link]]") && words("[").includes("[record]"));
  assert.ok(words("dur").includes("duration"));
  assert.ok(words('[[flow]]\nname = "x"\n').includes("transport") && !words('[[flow]]\nname = "x"\n').includes("name"));
  assert.ok(words('[[link]]\nqueue = "').includes('"fq_codel"'));
  assert.ok(words('[[flow]]\ntransport = { kind = "tcp", cc = "').includes('"cubic"'));
  assert.ok(words('[[attack]]\nkind = "flood"\n').includes("arrivals"));
  assert.ok(!words('[[attack]]\nkind = "flood"\n').includes("duty"));
});

test("a link holds the scenario and what is set", async () => {
  const text = SEEDED.replace("Four downloads share a line", "Ünïcödé “and” signs = & #");
  const reader = await opened(await scenarioLink(text));
  await reader.until("document.documentElement.dataset.picture");
  await reader.choose("discipline", "fq_codel");
  await reader.until(`document.querySelector("#scores").textContent.includes("fq_codel")`);
  const fingerprint = await reader.end();
  await reader.click("#share");
  const hash = await reader.until(`location.hash.includes("set=") && location.hash`, "the link");
  await reader.page.close();
  const other = await opened(hash);
  assert.equal(await other.end(), fingerprint);
  await other.editor();
  assert.ok((await other.textOf(".cm-content")).includes("Ünïcödé “and” signs = & #"));
  assert.equal(await unpacked(new URLSearchParams(hash.slice(1)).get("scenario")), text);
  await other.page.close();
});

test("two disciplines side by side, with the same axes", async () => {
  const reader = await opened("#queue=droptail&versus=codel&set=duration%3D20%20s");
  await reader.end();
  assert.equal(await reader.see(`document.querySelectorAll("#stage figure").length`), 10);
  assert.deepEqual(await reader.see(`[...document.querySelectorAll("#scores thead th")].map((e) => e.textContent)`), ["droptail", "codel"]);
  const [droptail, codel] = await reader.see(`[...document.querySelectorAll("#scores tr")].find((r) => r.textContent.startsWith("waiting")).textContent.match(/\\d+ packets/g).map(parseFloat)`);
  assert.ok(droptail > 3 * codel, `${droptail}, ${codel}`);
  await reader.choose("with", "");
  await reader.until(`document.querySelectorAll("#stage figure").length === 5`);
  await reader.page.close();
});

describe("controls", () => {
  test("rate, delay and loss act at once, and what is saved replays it natively", async () => {
    const reader = await opened();
    await reader.until(`parseFloat(document.querySelector("#clock").textContent) > 1`);
    await reader.move("rate", 20);
    await reader.move("delay", 160);
    await reader.until(`parseFloat(document.querySelector("#clock").textContent) > 4`);
    await reader.move("loss", 100);
    const fingerprint = await reader.end();
    const text = await reader.saved();
    assert.match(text, /\[\[fault\]\]\n(?:.*\n)*?kind = "rate"/);
    assert.match(text, /kind = "delay"/);
    assert.match(text, /kind = "loss"/);
    assert.equal(natively({ text }).fingerprint, fingerprint);
    assert.notEqual(fingerprint, natively({ text: FIRST }).fingerprint);
    assert.deepEqual(reader.page.errors, []);
    await reader.page.close();
  });

  test("queue, limit, attack and chance run it anew as far as it was", async () => {
    const reader = await opened();
    await reader.end();
    const overrides = [];
    const same = async () => assert.equal(await reader.end(), natively({ text: FIRST, overrides }).fingerprint);
    const renewed = (set) => reader.until(`document.querySelector("#set").textContent.includes(${JSON.stringify(set)}) && document.documentElement.dataset.state === "over"`, set);
    await reader.choose("discipline", "red");
    await renewed("link.bottleneck.queue = red, limit = 100 packets");
    overrides.push(["link.bottleneck.queue", '{ kind = "red", limit = "100 packets" }']);
    await same();
    await reader.click('[data-control="attack flood"]');
    await renewed("attack.flood.enabled = true");
    overrides.push(["attack.flood.enabled", "true"]);
    await same();
    assert.ok((await reader.textOf("#scores")).includes("flood received"));
    const rate = await reader.see(`(() => { const e = document.querySelector('[data-control="attack rate"]'); e.value = 150; e.dispatchEvent(new Event("input")); return e.getAttribute("aria-valuetext"); })()`);
    await renewed(`attack.flood.rate = ${rate}`);
    overrides.push(["attack.flood.rate", `"${rate}"`]);
    await same();
    await reader.page.close();
  });

  test("a value that does not fit says so, and another one runs", async () => {
    const reader = await opened();
    await reader.end();
    await reader.see(`location.hash = "#set=link.bottleneck.queue%3Dcodle"`);
    await reader.until(`document.documentElement.dataset.state === "refused" && document.querySelector("#set").textContent.includes("That does not go: unknown queue discipline")`);
    assert.equal(await reader.textOf("#command"), "tailrace run playground.toml --set 'link.bottleneck.queue=codle'");
    await reader.choose("discipline", "codel");
    await reader.until(`document.querySelector("#set").textContent.startsWith("Set here: link.bottleneck.queue = codel")`);
    await reader.end();
    await reader.page.close();
  });

  test("values of a sweep can be chosen", async () => {
    const reader = await opened("#gallery=can-two-paths-carry-one-stream&set=duration%3D12%20s");
    await reader.end();
    await reader.choose("mp transport scheduler", '"ecf"');
    await reader.until(`document.querySelector("#set").textContent.includes("scheduler = ecf") && document.documentElement.dataset.state === "over"`);
    const overrides = [["duration", "12 s"], ["flow.mp.transport.scheduler", '"ecf"']];
    assert.equal(await reader.end(), natively({ text: PATHS, overrides }).fingerprint);
    await reader.page.close();
  });
});

describe("whoever comes", () => {
  for (const [name, options] of Object.entries(READERS)) {
    for (const [what, link] of Object.entries({ one: "", two: "#gallery=flood&set=duration%3D15%20s&versus=link.bottleneck.queue%3Dsfq" })) {
      test(`${name}, ${what}: axe-core has nothing against it, nothing sticks out, nobody else is asked`, async () => {
        const reader = await opened(link, options);
        await reader.end();
        await reader.editor();
        await reader.page.run(`${axe};for (const one of document.querySelectorAll("details")) one.open = true;`);
        const found = await reader.see(`axe.run().then(({ violations }) => violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html).join(" | ")))`);
        assert.deepEqual(found, []);
        assert.equal(await reader.see("document.documentElement.scrollWidth <= innerWidth"), true);
        assert.deepEqual(reader.page.errors, []);
        assert.deepEqual(reader.page.asked.filter((url) => !url.startsWith(host.address) && !/^(data|blob):/.test(url)), []);
        if (pictures) writeFileSync(join(pictures, `${name.replace(", ", "-")}-${what}.png`), await reader.page.screenshot());
        await reader.page.close();
      });
    }
  }

  test("the gallery is at hand", async () => {
    const reader = await opened();
    await reader.until("document.documentElement.dataset.picture");
    await reader.click("#open-gallery");
    const count = await reader.until(`document.querySelector("dialog").open && document.querySelectorAll("#gallery-list li").length`);
    assert.ok(count > 25, String(count));
    await reader.page.run(axe);
    assert.deepEqual(await reader.see(`axe.run("dialog").then(({ violations }) => violations.map((v) => v.id))`), []);
    await reader.see(`[...document.querySelectorAll("#gallery-list button")].find((b) => b.textContent.endsWith("flood")).click()`);
    await reader.until(`document.querySelector("#title").textContent === "flood"`);
    assert.equal(await reader.see("location.hash"), "#gallery=flood");
    await reader.page.close();
  });

  test("everything in the gallery starts", async () => {
    const reader = await opened("#gallery=flood");
    await reader.until("document.documentElement.dataset.picture");
    const entries = JSON.parse(readFileSync(join(folder, "gallery.json"), "utf8"));
    for (const { name, text } of entries) {
      const shown = /^name = "(.*)"/m.exec(text)[1].replaceAll("-", " ");
      await reader.see(`location.hash = ${JSON.stringify(`#gallery=${name}`)}`);
      await reader.until(`document.querySelector("#title").textContent === ${JSON.stringify(shown)} && parseFloat(document.querySelector("#clock").textContent) > 0`, name);
      assert.equal(await reader.see(`document.querySelectorAll("#stage figure").length`), 5, name);
    }
    assert.deepEqual(reader.page.errors, []);
    await reader.page.close();
  });

  test("the first picture", async () => {
    const reader = await opened();
    const took = await reader.until("document.documentElement.dataset.picture");
    console.log(`first picture after ${took} ms`);
    await reader.page.close();
  });
});

describe("what a browser cannot", () => {
  const refusal = async (text) => {
    const reader = await opened(await scenarioLink(text));
    const said = await reader.until(`document.querySelector("#problems").textContent`, "why");
    await reader.until(`document.documentElement.dataset.state === "refused"`);
    assert.equal(await reader.saved(), text);
    await reader.page.close();
    return said;
  };

  test("a scenario that is too large: how large, and the command", async () => {
    const said = await refusal(FIRST.replace("count = 4", "count = 4000000"));
    assert.match(said, /too large for a browser/);
    assert.match(said, /needs about [\d.]+ GB of memory/);
    assert.match(said, /tailrace run scenario\.toml/);
  });

  test("hosts with kernels", async () => {
    const said = await refusal(FIRST.replace('name = "home"', 'name = "home"\nkernel = "6.12"'));
    assert.match(said, /line \d+, column \d+/);
    assert.match(said, /run natively only/);
  });

  test("disciplines in Python", async () => {
    const said = await refusal(FIRST.replace('kind = "droptail"', 'kind = "gentle"'));
    assert.match(said, /tailrace run scenario\.toml --with YOUR-FILE\.py/);
  });

  test("a damaged link says so, and the first scenario runs", async () => {
    for (const link of ["#scenario=%%%", "#scenario=AAAA", "#gallery=no-such"]) {
      const reader = await opened(link);
      await reader.until("document.documentElement.dataset.picture");
      assert.match(await reader.textOf("#message"), /This link leads nowhere/);
      await reader.page.close();
    }
  });

  test("text of a link is text", async () => {
    const reader = await opened(await scenarioLink(FIRST.replace("Four downloads share one", "<img src=x onerror='globalThis.harmed=1'></script><b>")));
    await reader.end();
    assert.equal(await reader.see(`globalThis.harmed === undefined && document.querySelector("#question").textContent.startsWith("<img")`), true);
    await reader.page.close();
  });

  test("no WebAssembly, no server, no JavaScript: the page says what to do", async () => {
    const without = await opened("", READERS.desk, (page) => page.send("Page.addScriptToEvaluateOnNewDocument", { source: "delete globalThis.WebAssembly" }));
    assert.match(await without.textOf("#message"), /no WebAssembly[^]*tailrace run/);
    await without.page.close();
    const page = await browser.page(READERS.desk);
    await page.open(`file://${resolve(folder, "index.html")}`);
    assert.match(await new Reader(page).textOf("#message"), /http\.server/);
    await page.close();
    const plain = await browser.page({ ...READERS.desk, script: false });
    await plain.open(host.address);
    const { root } = await plain.send("DOM.getDocument", { depth: -1 });
    const { nodeId } = await plain.send("DOM.querySelector", { nodeId: root.nodeId, selector: "noscript section" });
    assert.ok((await plain.send("DOM.getBoxModel", { nodeId })).model.height > 50);
    await plain.close();
  });
});
