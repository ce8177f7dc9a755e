// node tests/playground/measure.mjs FOLDER NATIVE [BROWSER]: when the first picture comes, and how fast a page is beside the native build
// (`cargo build --release -p tailrace-wasm --example native`). Figures for docs/playground.md; what else the machine does counts.

import { spawnSync } from "node:child_process";
import { loadavg } from "node:os";
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
  if (i) await reader.click("#restart");
  await reader.until(`document.documentElement.dataset.state !== "over"`);
  await reader.end();
  const [count, spent] = await reader.see("[document.documentElement.dataset.hops, document.documentElement.dataset.spent].map(Number)");
  hops = count;
  here.push((spent * 1e6) / count);
}
await browser.close();
host.close();

const there = [];
for (let i = 0; i < ROUNDS; i += 1) {
  const began = process.hrtime.bigint();
  spawnSync(native, { input: `${JSON.stringify({ text: TEXT })}\n`, maxBuffer: 1 << 30 });
  there.push(Number(process.hrtime.bigint() - began) / hops);
}
console.log(`ns for each of ${hops} packet-hops: in the page ${said(here)}; native ${said(there)}; load ${loadavg()[0].toFixed(1)}`);
console.log(`share of native speed, best of each: ${(Math.min(...there) / Math.min(...here.slice(1))).toFixed(2)}`);
