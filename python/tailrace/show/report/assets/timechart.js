// A figure over time: its views, its choice of lines, zoom and cursor, which it shares with all others of the page.

import { above, axis, rangeOf, said, widthOf } from "./axes.js";
import { choice, make, pushButton } from "./dom.js";
import { faded, lookOf, swatch } from "./looks.js";
import { drawShades, shadeEntries } from "./shades.js";
import { csvOf, fileNameOf, saveButton } from "./sharing.js";

const HEIGHT = 250;
// Of what one figure hears of the mouse the others hear where it is: how far a drag goes they learn by the zoom.
const SHARED = { pub: (type) => type === "mousemove" || type === "mouseleave", sub: () => true };
// More lines than this are not told apart at once: the others wait for a click.
const AT_FIRST = 7;

/** All figures over time: one stretch of time, one cursor, one choice of lines and runs. */
export class TimeCharts {
  constructor(charts) {
    this.cursor = uPlot.sync("time");
    this.whole = [0, Math.max(...charts.map((c) => Math.max(...c.views.map((v) => v.times.at(-1) ?? 0))))];
    this.range = this.whole;
    this.off = new Set();
    this.charts = charts.map((data) => new TimeChart(data, this));
    this.shownRuns = charts[0].views[0].runs;
    this.runs = [...new Set(charts.flatMap((chart) => chart.views.map((view) => view.runs)))];
  }

  zoom(from, to) {
    const [least, most] = this.whole;
    const width = Math.min(most - least, Math.max((most - least) * 1e-5, to - from));
    const start = Math.min(Math.max(from, least), most - width);
    this.range = [start, start + width];
    for (const chart of this.charts) chart.showRange();
    this.sayRange?.();
  }

  zoomBy(factor) {
    const [from, to] = this.range;
    const half = ((to - from) * factor) / 2;
    this.zoom((from + to) / 2 - half, (from + to) / 2 + half);
  }

  shift(share) {
    const [from, to] = this.range;
    const by = (to - from) * share;
    this.zoom(from + by, to + by);
  }

  reset() {
    this.zoom(...this.whole);
  }

  toggle(label, shown) {
    if (shown) this.off.delete(label);
    else this.off.add(label);
    for (const chart of this.charts) chart.showLines();
  }

  /** The views have more samples than before; who has not zoomed sees all of them. */
  renew(until) {
    const all = this.range[0] === this.whole[0] && this.range[1] === this.whole[1];
    this.whole = [0, until];
    if (all) this.range = this.whole;
    // Figures with one vertical axis may each be the reason for another one.
    for (const chart of this.charts) chart.renew();
    for (const chart of this.charts) if (chart.isBehind()) chart.renew();
    this.sayRange?.();
  }

  tools(place) {
    const range = make("span", { class: "said" });
    const noteOf = () => this.charts.map((chart) => chart.view).find((view) => view.runs === this.shownRuns)?.note ?? "";
    this.sayRange = () => { range.textContent = [`${said(this.range[0])} to ${said(this.range[1])} s`, noteOf()].filter(Boolean).join(" · "); };
    this.sayRange();
    const button = (text, title, act) => make("button", { type: "button", title, "aria-label": title, onclick: act }, text);
    if (this.runs.length > 1)
      place.append(choice("Show", this.runs.map((run) => [run, run]), this.runs[0], (run) => {
        this.shownRuns = run;
        for (const chart of this.charts) chart.chooseRuns(run);
        this.sayRange();
      }));
    place.append(
      button("+", "Zoom in", () => this.zoomBy(0.5)),
      button("−", "Zoom out", () => this.zoomBy(2)),
      button("←", "Earlier", () => this.shift(-0.5)),
      button("→", "Later", () => this.shift(0.5)),
      button("Whole run", "Show the whole run", () => this.reset()),
      range);
    place.hidden = false;
  }
}

class TimeChart {
  constructor(data, all) {
    this.data = data;
    this.all = all;
    this.log = false;
    this.parts = [...new Set(data.views.map((view) => view.part))];
    this.view = data.views[0];
    this.height = data.height ?? HEIGHT;
    for (const line of this.view.lines.slice(AT_FIRST)) all.off.add(line.label);
  }

  /** Those that have the same vertical axis as this one, itself among them. */
  peers() {
    return this.data.scale ? this.all.charts.filter((chart) => chart.data.scale === this.data.scale && chart.chart) : [this];
  }

  rangeY() {
    const own = rangeOf([...this.places.values()], () => this.all.range);
    return (chart, least, most) => {
      this.own = own(chart, least, most);
      const ranges = this.peers().map((peer) => peer.own ?? this.own);
      this.shown = [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))];
      return this.shown;
    };
  }

  isBehind() {
    return !this.log && this.peers().some((peer) => !peer.log && peer.shown && (peer.shown[0] < this.shown[0] || peer.shown[1] > this.shown[1]));
  }

  renew() {
    if (!this.chart) return;
    const before = [...this.places.keys()];
    const data = this.columns();
    if (before.length !== this.places.size || before.some((label) => !this.places.has(label))) {
      this.draw();
      return;
    }
    this.chart.batch(() => {
      this.chart.setData(data, false);
      this.showRange();
    });
  }

  mount(place) {
    this.plot = make("div", {
      class: `plot${place.querySelector("img.still") ? "" : " only"}`, tabindex: 0, role: "group",
      "aria-label": `${this.data.title} over time: arrows move the cursor, plus and minus zoom, 0 shows the whole run`,
      onkeydown: (event) => this.onKey(event),
    });
    this.legend = make("ul", { class: "legend", "aria-label": `Lines of ${this.data.title}` });
    this.note = make("p", { class: "note" });
    const tools = make("div", { class: "tools" });
    if (this.parts.length > 1)
      tools.append(choice(capital(this.data.parts), this.parts.map((part) => [part, part]), this.parts[0], (part) => this.choose(part, this.view.runs)));
    tools.append(
      pushButton("Log", false, (log) => { this.log = log; this.draw(); }, "Logarithmic vertical axis"),
      saveButton("CSV", fileNameOf(this.data.name, "csv"), () => this.csv(), "text/csv"));
    const head = place.querySelector("figcaption");
    head.classList.add("head");
    head.append(tools);
    place.append(this.plot, this.legend, this.note);
    new ResizeObserver(() => this.chart?.setSize({ width: widthOf(this.plot), height: this.height })).observe(this.plot);
    this.draw();
  }

  choose(part, runs) {
    const views = this.data.views;
    this.view = views.find((v) => v.part === part && v.runs === runs) ?? views.find((v) => v.part === part) ?? this.view;
    this.draw();
  }

  chooseRuns(runs) {
    if (this.data.views.some((view) => view.runs === runs)) this.choose(this.view.part, runs);
    else this.draw();
  }

  columns() {
    const as = this.log ? above : (values) => values;
    const found = [this.view.times];
    this.places = new Map();
    this.bands = [];
    for (const line of this.view.lines) {
      this.places.set(line.label, found.length);
      found.push(as(line.values));
      if (line.low) {
        this.bands.push({ label: line.label, place: found.length, look: line.look });
        found.push(as(line.low), as(line.high));
      }
    }
    return found;
  }

  series() {
    const found = [{}];
    const points = { show: false };
    for (const line of this.view.lines) {
      const { colour, dash } = lookOf(line.look);
      const show = !this.all.off.has(line.label);
      found.push({ label: line.label, stroke: colour, dash, width: 1.8, show, points });
      if (line.low) for (const end of ["low", "high"]) found.push({ label: end, width: 0, show, points });
    }
    return found;
  }

  draw() {
    const data = this.columns();
    this.chart?.destroy();
    const options = {
      width: widthOf(this.plot),
      height: this.height,
      padding: [10, 14, 0, 0],
      legend: { show: false },
      cursor: {
        sync: { key: this.all.cursor.key, scales: ["x", null], setSeries: false, filters: SHARED },
        drag: { x: true, y: false, setScale: false },
        points: { size: 6 },
        bind: { dblclick: () => () => { this.all.reset(); return null; } },
      },
      scales: {
        x: { time: false, range: () => this.all.range },
        y: this.log ? { distr: 3 } : { range: this.rangeY() },
      },
      axes: [
        axis("time (s)", { size: 34 }),
        axis(this.view.axis, { size: 62, values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : said(tick))) }),
      ],
      series: this.series(),
      bands: this.bands.map(({ place, look }) => ({ series: [place + 1, place], fill: faded(lookOf(look).colour, this.bands.length > 4 ? 0.1 : 0.18) })),
      hooks: {
        drawClear: [(chart) => drawShades(chart, this.data.spans)],
        setCursor: [() => this.sayValues()],
        setSelect: [(chart) => this.onSelect(chart)],
      },
    };
    this.chart = new uPlot(options, data, this.plot);
    // What is so of all figures is said once, above them.
    const usual = this.view.runs === this.all.shownRuns;
    this.note.textContent = usual ? "" : `${this.view.runs}: ${this.view.note}`;
    this.note.hidden = usual;
    this.drawLegend();
  }

  onSelect(chart) {
    const { left, width } = chart.select;
    if (width < 3) return;
    const [from, to] = [left, left + width].map((at) => chart.posToVal(at, "x"));
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.all.zoom(from, to);
  }

  showRange() {
    this.chart?.setScale("x", { min: this.all.range[0], max: this.all.range[1] });
  }

  showLines() {
    this.chart?.batch(() => {
      for (const [label, place] of this.places) {
        const show = !this.all.off.has(label);
        if (this.chart.series[place].show !== show) this.chart.setSeries(place, { show });
        const band = this.bands.find((b) => b.label === label);
        if (band) for (const end of [0, 1])
          if (this.chart.series[band.place + end].show !== show) this.chart.setSeries(band.place + end, { show });
      }
    });
    for (const [label, button] of this.buttons) button.setAttribute("aria-pressed", String(!this.all.off.has(label)));
  }

  drawLegend() {
    this.values = new Map();
    this.buttons = new Map();
    const entries = this.view.lines.map((line) => {
      const value = make("span", { class: "value" });
      const button = make("button", {
        type: "button", "aria-pressed": String(!this.all.off.has(line.label)),
        onclick: () => this.all.toggle(line.label, this.all.off.has(line.label)),
      }, swatch(line.look), make("span", { class: "name" }, line.label), value);
      this.values.set(line.label, value);
      this.buttons.set(line.label, button);
      return make("li", {}, button);
    });
    if (entries.length > AT_FIRST) entries.push(...this.allOrNone());
    this.time = make("li", { class: "shade" });
    this.legend.replaceChildren(...entries, ...shadeEntries(this.data.spans), this.time);
  }

  allOrNone() {
    const button = (text, shown) => make("li", {}, make("button", {
      type: "button",
      onclick: () => { for (const line of this.view.lines) this.all.toggle(line.label, shown); },
    }, text));
    return [button("all", true), button("none", false)];
  }

  sayValues() {
    const place = this.chart.cursor.idx;
    const there = place !== null && place !== undefined && this.chart.cursor.left >= 0;
    for (const line of this.view.lines)
      this.values.get(line.label).textContent = there ? said(line.values[place]) : "";
    this.time.textContent = there ? `${this.view.axis}, at ${said(this.view.times[place])} s` : "";
  }

  onKey(event) {
    const { left } = this.chart.cursor;
    const width = this.chart.over.clientWidth;
    const step = event.shiftKey ? width / 10 : width / 100;
    const acts = {
      ArrowRight: () => this.point((left < 0 ? 0 : left) + step),
      ArrowLeft: () => this.point((left < 0 ? width : left) - step),
      "+": () => this.all.zoomBy(0.5),
      "=": () => this.all.zoomBy(0.5),
      "-": () => this.all.zoomBy(2),
      0: () => this.all.reset(),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  point(left) {
    const width = this.chart.over.clientWidth;
    this.chart.setCursor({ left: Math.min(width - 1, Math.max(0, left)), top: this.chart.over.clientHeight / 2 }, true, true);
  }

  csv() {
    const { lines, times, axis: unit } = this.view;
    const heads = lines.flatMap((line) => [`${line.label} [${unit}]`, ...(line.low ? [`${line.label} low`, `${line.label} high`] : [])]);
    const rows = times.map((time, i) => [time, ...lines.flatMap((line) => [line.values[i], ...(line.low ? [line.low[i], line.high[i]] : [])])]);
    return csvOf([["time [s]", ...heads], ...rows]);
  }

  redraw() {
    this.draw();
  }
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
