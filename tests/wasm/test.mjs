// node tests/wasm/test.mjs tailrace_wasm.wasm native: the gallery's scenarios there and here, run for run.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { load } from "../../web/simulator/tailrace.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const [wasm, native] = [process.env.TAILRACE_WASM, process.env.TAILRACE_NATIVE];
const tailrace = await load(readFileSync(wasm));

const SHORT = [["duration", "3 s"], ["warmup", "1 s"], ["record.interval", "100 ms"]];
const folder = join(root, "scenarios");
const gallery = readdirSync(folder).filter((f) => f.endsWith(".toml")).sort();
// Faults come earlier in a run that is cut short: one after its end is an error.
const early = (text) =>
  [...text.matchAll(/^\[\[fault\]\]/gm)].flatMap((_, i) => [[`fault.${i}.at`, "1500 ms"], [`fault.${i}.until`, "2500 ms"]]);
const requestOf = (file) => {
  const text = readFileSync(join(folder, file), "utf8");
  return { text, overrides: [...SHORT, ...early(text)] };
};

function natively(requests) {
  const input = requests.map((r) => JSON.stringify(r)).join("\n") + "\n";
  const done = spawnSync(native, { input, encoding: "utf8", maxBuffer: 1 << 30 });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** The run, in frames of so many seconds; `look` is called after each. */
function frames(request, seconds, look = () => {}) {
  const { duration_s: duration } = tailrace.open(request);
  for (let i = 1; !tailrace.step(seconds * i); i += 1) {
    look(seconds * i, duration);
  }
  return tailrace.finish();
}

const requests = gallery.map(requestOf);
const expected = natively(requests);

test("there is a gallery", () => assert.ok(gallery.length > 10));

for (const [i, file] of gallery.entries()) {
  test(`${basename(file, ".toml")}: the same run to the last digit`, () => {
    assert.equal(expected[i].errors, undefined, JSON.stringify(expected[i].errors));
    tailrace.open(requests[i]);
    assert.ok(tailrace.step(Infinity));
    const found = tailrace.finish();
    assert.equal(found.fingerprint, expected[i].fingerprint);
    assert.equal(found.summary, expected[i].summary);
    assert.deepEqual(found.tables, expected[i].tables);
  });
}

test("fingerprints tell runs apart", () => {
  assert.equal(new Set(expected.map((e) => e.fingerprint)).size, gallery.length);
});

test("frames of a sixtieth of a second, drawn and drained, lead to the same end", () => {
  const i = gallery.indexOf("flood.toml");
  const backlog = [];
  const looked = frames(requests[i], 1 / 60, (now) => {
    const picture = tailrace.snapshot();
    assert.ok(Math.abs(picture.time_s - now) < 1e-6);
    assert.equal(tailrace.soFar().engine.simulated_s, picture.time_s);
    for (const row of tailrace.drain().queue_series.backlog_packets) backlog.push(row);
  });
  backlog.push(...looked.tables.queue_series.backlog_packets);
  assert.equal(looked.fingerprint, expected[i].fingerprint);
  assert.deepEqual(backlog, expected[i].tables.queue_series.backlog_packets);
});

test("what is changed while it runs is in the scenario that comes out, which replays it", () => {
  const request = requestOf("flood.toml");
  const { links } = tailrace.open(request);
  const link = links.indexOf("bottleneck");
  assert.notEqual(link, -1, links);
  tailrace.step(1.2);
  tailrace.change(link, "rate", 1e6);
  tailrace.step(2);
  tailrace.change(link, "rate");
  tailrace.change(link, "loss", 0.1);
  tailrace.step(2.5);
  assert.throws(() => tailrace.change(link, "rate", 0), /value/);
  assert.throws(() => tailrace.change(99999, "down"), /no such link/);
  const text = tailrace.resolved();
  tailrace.step(Infinity);
  const live = tailrace.finish();
  const [replayed] = natively([{ text }]);
  assert.equal(replayed.errors, undefined, JSON.stringify(replayed.errors));
  assert.equal(replayed.fingerprint, live.fingerprint);
  assert.notEqual(live.fingerprint, expected[gallery.indexOf("flood.toml")].fingerprint);
});

test("a wrong scenario is answered with its errors, and the instance lives on", () => {
  assert.throws(() => tailrace.open({ text: "duration = 3" }), /duration/);
  assert.throws(() => tailrace.step(1), /nothing is open/);
  assert.ok(tailrace.open(requests[0]).links.length > 0);
});

test("a check answers as opening does, and leaves the run alone", () => {
  const request = requestOf("flood.toml");
  tailrace.open(request);
  tailrace.step(1);
  assert.deepEqual(tailrace.check({ text: request.text }).warnings, []);
  assert.throws(() => tailrace.check({ text: request.text.replace("duration", "duratoin") }), /"line":\d+/);
  tailrace.step(Infinity);
  assert.equal(tailrace.finish().fingerprint, expected[gallery.indexOf("flood.toml")].fingerprint);
});

test("the outline has queues, attacks, values of the sweep, and seeds that are not rounded", () => {
  const seed = "9007199254740993";
  const { text } = requestOf("flood.toml");
  const about = tailrace.open({ text: text.replace("runs = 3", `seed = ${seed}`) });
  assert.equal(about.seed, seed);
  const [queue] = about.queues;
  const { link, ...said } = queue;
  assert.equal(about.links[link], "bottleneck");
  assert.deepEqual(said, {
    queue: "g1->g2", path: "link.bottleneck", backward: false, shared: false,
    kind: "red", limit: "100 packets", rate_bps: 1e7, delay_s: 0.01, loss: 0,
  });
  assert.deepEqual(about.attacks, [{ group: "flood", switch: "flow.flood.enabled", enabled: true, rate: { path: "flow.flood.app.rate", bps: 1e7 }, start_s: 5, stop_s: null }]);
  assert.equal(about.axes[0].path, "link.bottleneck.queue");
  assert.equal(about.axes[0].values.length, 4);
  tailrace.step(0.5);
  assert.equal(tailrace.soFar().seed, natively([{ text: text.replace("runs = 3", `seed = ${seed}`), overrides: [["duration", "11 s"]] }])[0].summary.match(/"seed": ?(\d+)/)[1]);
});

test("tables and columns can be chosen", () => {
  tailrace.open(requestOf("flood.toml"));
  tailrace.step(2);
  const rows = tailrace.drain("queue_series,flow_series.time_s");
  assert.ok(rows.queue_series.backlog_packets.length > 0);
  assert.deepEqual(Object.keys(rows.flow_series), ["time_s"]);
  assert.deepEqual(rows.events ?? {}, {});
});

test("what only a machine has is refused at its place; files can be handed over", () => {
  const { text } = requestOf("flood.toml");
  assert.throws(() => tailrace.open({ text: text.replace('name = "server"', 'name = "server"\nkernel = "6.12"') }), /no browser can start.*"line":\d+|"line":\d+.*no browser can start/);
  const traced = text.replace('rate = "10 Mbit/s"\ndelay = "10 ms"', 'rate = "trace(slow.trace)"\ndelay = "10 ms"');
  assert.notEqual(traced, text);
  assert.throws(() => tailrace.open({ text: traced }), /slow\.trace/);
  assert.ok(tailrace.open({ text: traced, files: { "slow.trace": "1\n2\n3\n4\n" } }).queues.length > 0);
});
