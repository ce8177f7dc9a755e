// node web/build.mjs WASM DATA OUT: the playground as a folder of static files.

import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "playground");
const assets = join(here, "..", "python", "tailrace", "show", "report", "assets");
const [wasm, data, out] = process.argv.slice(2);
const read = (...path) => readFileSync(join(...path), "utf8");

const basics = {
  name: "basics",
  setup(builder) {
    builder.onResolve({ filter: /^tailrace:basics$/ }, () => ({ path: "basics", namespace: "tailrace" }));
    builder.onLoad({ filter: /.*/, namespace: "tailrace" }, () => ({ contents: read(data, "basics.json"), loader: "json" }));
  },
};

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await build({
  entryPoints: ["main.js", "worker.js", "editor.js"].map((name) => join(source, name)),
  outdir: out,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  // Each is loaded by its name; what two of them have in common is little.
  splitting: false,
  external: ["./editor.js", "./worker.js"],
  loader: { ".toml": "text" },
  legalComments: "none",
  plugins: [basics],
  logLevel: "warning",
});
copyFileSync(wasm, join(out, "tailrace.wasm"));
copyFileSync(join(assets, "vendor", "uplot", "uPlot.iife.min.js"), join(out, "uplot.js"));
for (const name of ["schema.json", "gallery.json"]) copyFileSync(join(data, name), join(out, name));
copyFileSync(join(source, "plain.js"), join(out, "plain.js"));
writeFileSync(join(out, "playground.css"), [join(assets, "vendor", "uplot", "uPlot.min.css"), join(assets, "report.css"), join(source, "playground.css")].map((file) => read(file)).join("\n"));
writeFileSync(join(out, "LICENSES.txt"), licences());

// One name for all that belongs together, so that no page meets a simulator of another day.
const version = createHash("sha256");
for (const file of readdirSync(out).sort()) version.update(readFileSync(join(out, file)));
writeFileSync(join(out, "index.html"), read(source, "index.html").replaceAll("{{version}}", version.digest("hex").slice(0, 12)));

function licences() {
  const lock = JSON.parse(read(here, "package-lock.json"));
  const names = Object.entries(lock.packages).filter(([name]) => /node_modules\/(?!esbuild$|@esbuild\/)/.test(name)).map(([name]) => name);
  const texts = names.map((name) => `${name.replace("node_modules/", "")} ${lock.packages[name].version}\n\n${read(here, name, "LICENSE")}`);
  return [`uPlot\n\n${read(assets, "vendor", "uplot", "LICENSE")}`, ...texts].join(`\n${"-".repeat(72)}\n\n`);
}

const compressed = (bytes) => [
  gzipSync(bytes, { level: 9 }).length,
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length,
];
const rows = readdirSync(out).filter((file) => file !== "LICENSES.txt").map((file) => [file, statSync(join(out, file)).size, ...compressed(readFileSync(join(out, file)))]);
rows.push(["all", ...[1, 2, 3].map((column) => rows.reduce((sum, row) => sum + row[column], 0))]);
const line = (cells) => cells.map((cell, i) => (i ? String(cell).padStart(10) : String(cell).padEnd(16))).join("");
console.log([line(["bytes", "plain", "gzip", "brotli"]), ...rows.map(line)].join("\n"));
writeFileSync(join(data, "sizes.json"), JSON.stringify(rows));
