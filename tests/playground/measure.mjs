// node tests/playground/measure.mjs FOLDER NATIVE [BROWSER]: when the first picture comes, and how fast a page is beside the native build
// (`cargo build --release -p tailrace-wasm --example native`). Figures for docs/guides/playground.md. Linux only: speed is by processor time, since
// what else the machine does would count otherwise.

import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { Chromium } from "../report/chromium.mjs";
import { packed } from "../../web/playground/links.js";
import { Reader } from "./reader.mjs";
import { serve } from "./server.mjs";

const [folder, native, program = "chromium"] = process.argv.slice(2);
const ROUNDS = 5;
const TEXT = `name = "hundred"
duration = "60 s"
[record]
interval = "100 ms"
[[host]]
name = "source"
count = 100
[[host]]
name = "sink"
[[router]]
name = "left"
[[router]]
name = "right"
[[link]]
between = ["source[*]", "left"]
rate = "1 Gbit/s"
delay = "1 ms"
[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "100 Mbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "500 packets" }
[[link]]
between = ["right", "sink"]
rate = "1 Gbit/s"
delay = "1 ms"
[[flow]]
name = "tcp"
from = "source[*]"
to = "sink"
transport = { kind = "tcp", profile = "linux" }
app = "bulk"
start = "uniform(0 s, 2 s)"
`;

const TICK_S = 0.01;
// What workers of all pages have used so far.
function workersSeconds() {
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(browser.profile)) continue;
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
        const words = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        if (stat.includes("(DedicatedWorker")) ticks += Number(words[11]) + Number(words[12]);
      }
    } catch { /* It is gone by now. */ }
  }
  return ticks * TICK_S;
}

function nativeSeconds() {
  const request = join(tmpdir(), `tailrace-${process.pid}.json`);
  writeFileSync(request, `${JSON.stringify({ text: TEXT })}\n`);
  const { stdout } = spawnSync("sh", ["-c", `${JSON.stringify(native)} <${request} >/dev/null; times`], { encoding: "utf8" });
  const [user, system] = stdout.trim().split("\n")[1].split(" ").map((word) => Number(word.split("m")[0]) * 60 + parseFloat(word.split("m")[1]));
  return user + system;
}

const said = (values) => values.map((value) => value.toFixed(0)).join(", ");
const host = await serve(folder);
const pictures = [];
for (let i = 0; i < ROUNDS; i += 1) {
  const browser = new Chromium(program);
  const page = await browser.page({ width: 1360 });
  await page.open(host.address);
  pictures.push(Number(await new Reader(page).until("document.documentElement.dataset.picture")));
  await browser.close();
}
console.log(`first picture in a new browser, ms: ${said(pictures)}`);

const browser = new Chromium(program);
const page = await browser.page({ width: 1360 });
const reader = new Reader(page);
await page.open(`${host.address}#scenario=${await packed(TEXT)}`);
const here = [];
let hops = 0;
for (let i = 0; i < ROUNDS; i += 1) {
  const before = i ? workersSeconds() : 0;
  if (i) await reader.click("#restart");
  await reader.until(`document.documentElement.dataset.state !== "over"`);
  await reader.end();
  hops = await reader.see("Number(document.documentElement.dataset.hops)");
  here.push(((workersSeconds() - before) * 1e9) / hops);
}
await browser.close();
host.close();

const there = [];
for (let i = 0; i < ROUNDS; i += 1) there.push((nativeSeconds() * 1e9) / hops);
console.log(`ns of processor time for each of ${hops} packet-hops: in the page ${said(here)}; native ${said(there)}; load ${loadavg()[0].toFixed(1)}`);
console.log(`share of native speed, once warm, best of each: ${(Math.min(...there) / Math.min(...here.slice(1))).toFixed(2)}`);
