// Any metric of a table of cells over any of its parameters, with 95 % intervals.

import { above, axis, said, widthOf } from "./axes.js";
import { choice, make, pushButton } from "./dom.js";
import { lookOf, swatch } from "./looks.js";
import { csvOf, fileNameOf, saveButton } from "./sharing.js";

const HEIGHT = 320;
// Of an axis whose words lie flat.
const FLAT = 34;
// So many times as high as the highest mean.
const CUT = 2;

export class CellChart {
  constructor(data) {
    this.data = data;
    this.metric = data.first;
    // The number with most values goes along the axis, as in `tailrace plot`; words have a line each.
    const places = data.parameters.map((_, i) => i);
    const count = (i) => new Set(data.rows.map((row) => row.said[i])).size;
    const most = (numeric) => (a, b) => (data.parameters[b].numeric === numeric) - (data.parameters[a].numeric === numeric) || count(b) - count(a);
    this.along = places.sort(most(true))[0] ?? -1;
    this.by = places.filter((i) => i !== this.along && count(i) > 1).sort(most(false))[0] ?? -1;
    this.fixed = new Map();
    this.logX = false;
    this.logY = false;
    this.off = new Set();
  }

  mount(place) {
    this.place = place;
    this.tools = make("div", { class: "tools" });
    this.plot = make("div", { class: "plot only", tabindex: 0, role: "group", onkeydown: (event) => this.onKey(event) });
    this.legend = make("ul", { class: "legend", "aria-label": "Lines" });
    this.said = make("p", { class: "note" });
    place.append(this.tools, this.plot, this.legend, this.said);
    new ResizeObserver(() => this.chart?.setSize({ width: widthOf(this.plot), height: this.height })).observe(this.plot);
    this.drawTools();
    this.draw();
  }

  drawTools() {
    const { parameters, metrics } = this.data;
    const named = (list) => list.map((one, i) => [String(i), one.unit ? `${one.name} (${one.unit})` : one.name]);
    const found = [choice("Metric", named(metrics), String(this.metric), (value) => { this.metric = Number(value); this.draw(); })];
    if (parameters.length > 1) {
      found.push(choice("Along", named(parameters), String(this.along), (value) => {
        const before = this.along;
        this.along = Number(value);
        if (this.by === this.along) this.by = before;
        this.drawTools();
        this.draw();
      }));
      const others = named(parameters).filter(([value]) => Number(value) !== this.along);
      found.push(choice("A line for each", [["-1", "–"], ...others], String(this.by), (value) => {
        this.by = Number(value);
        this.drawTools();
        this.draw();
      }));
    }
    parameters.forEach((parameter, i) => {
      if (i === this.along || i === this.by) return;
      const values = [...new Set(this.data.rows.map((row) => row.said[i]))];
      if (values.length < 2) return;
      if (!values.includes(this.fixed.get(i))) this.fixed.set(i, values[0]);
      found.push(choice(parameter.name, values.map((value) => [value, value]), this.fixed.get(i), (value) => { this.fixed.set(i, value); this.draw(); }));
    });
    found.push(pushButton("Log y", this.logY, (on) => { this.logY = on; this.draw(); }, "Logarithmic vertical axis"));
    if (parameters[this.along]?.numeric)
      found.push(pushButton("Log x", this.logX, (on) => { this.logX = on; this.draw(); }, "Logarithmic horizontal axis"));
    const metric = () => metrics[this.metric].name;
    found.push(saveButton("CSV", fileNameOf("cells", "csv"), () => this.csv(metric()), "text/csv"));
    this.tools.replaceChildren(...found);
  }

  rows() {
    return this.data.rows.filter((row) => [...this.fixed].every(([i, value]) => i === this.along || i === this.by || row.said[i] === value));
  }

  // Places along the axis, and for each line the values there.
  lines() {
    const rows = this.rows().filter((row) => row.values[this.metric]);
    const numeric = this.numeric = this.data.parameters[this.along]?.numeric && rows.every((row) => row.at[this.along] !== null);
    const words = this.words = [...new Set(rows.map((row) => (this.along < 0 ? row.label : row.said[this.along])))];
    const placeOf = (row) => (numeric ? row.at[this.along] : words.indexOf(this.along < 0 ? row.label : row.said[this.along]));
    const places = [...new Set(rows.map(placeOf))].sort((a, b) => a - b);
    const found = new Map();
    for (const row of rows) {
      const name = this.by < 0 ? this.data.metrics[this.metric].name : row.said[this.by];
      if (!found.has(name)) found.set(name, places.map(() => null));
      const at = places.indexOf(placeOf(row));
      if (found.get(name)[at] === null) found.get(name)[at] = row.values[this.metric];
    }
    return { places, lines: [...found] };
  }

  draw() {
    const { places, lines } = this.lines();
    const metric = this.data.metrics[this.metric];
    const as = this.logY ? above : (values) => values;
    const data = [places, ...lines.map(([, values]) => as(values.map((value) => value?.[0] ?? null)))];
    this.shown = lines;
    this.plot.setAttribute("aria-label", `${metric.name}: arrows move the cursor along the axis`);
    this.chart?.destroy();
    const axisX = this.axisX();
    // Long words below the axis take nothing from the figure.
    this.height = HEIGHT + axisX.size - FLAT;
    this.chart = new uPlot({
      width: widthOf(this.plot),
      height: this.height,
      padding: [12, 18, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false, points: { size: 9 } },
      scales: {
        x: { time: false, distr: this.numeric && this.logX ? 3 : 1, range: this.rangeX(places) },
        y: { distr: this.logY ? 3 : 1, range: this.rangeY(lines) },
      },
      axes: [axisX, axis(metric.unit ? `${metric.name} (${metric.unit})` : metric.name, { size: 66, values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : said(tick))) })],
      series: [{}, ...lines.map(([name], i) => this.series(name, i))],
      hooks: { draw: [(chart) => this.drawIntervals(chart, lines)], setCursor: [() => this.sayValues()] },
    }, data, this.plot);
    this.drawLegend(lines);
    this.said.textContent = this.note(lines);
  }

  note(lines) {
    const runs = [...new Set(this.rows().map((row) => row.runs))].sort((a, b) => a - b);
    const over = runs.length > 1 ? `${runs[0]} to ${runs.at(-1)} runs` : `${runs[0] ?? 0} run${runs[0] === 1 ? "" : "s"}`;
    const intervals = lines.some(([, values]) => values.some((value) => value && value[1] !== null));
    const cut = !this.logY && lines.some(([, values]) => values.some((value) => value && value[2] > this.most(lines)));
    return `Mean over ${over}${intervals ? "; bars: 95 % interval" : ""}${cut ? ", cut off where it is more than twice as high as any mean" : ""}.`;
  }

  series(name, i) {
    const { colour, dash } = lookOf(i);
    const show = !this.off.has(name);
    // Words have no order: what lies between two of them is nothing.
    return {
      label: name, stroke: colour, dash, width: this.numeric ? 1.8 : 0, show, spanGaps: true,
      points: { show: true, size: 8, fill: colour, stroke: colour },
    };
  }

  rangeX(places) {
    const [least, most] = [places[0] ?? 0, places.at(-1) ?? 1];
    if (!this.numeric) return () => [-0.5, Math.max(0, this.words.length - 1) + 0.5];
    if (this.logX) return () => [least / 1.15, most * 1.15];
    const room = (most - least) * 0.04 || Math.abs(most) * 0.1 || 1;
    return () => [least - room, most + room];
  }

  rangeY(lines) {
    const ends = () => lines.filter(([name]) => !this.off.has(name)).flatMap(([, values]) => values.flatMap((v) => v ?? [])).filter((v) => v !== null);
    if (this.logY)
      return () => {
        const there = ends().filter((value) => value > 0);
        return there.length ? [Math.min(...there) / 1.2, Math.max(...there) * 1.2] : [0.1, 1];
      };
    return () => {
      const there = ends();
      const [least, most] = [Math.min(0, ...there), Math.min(Math.max(0, ...there), this.most(lines))];
      return most > least ? [least * 1.05, most * 1.06] : [0, 1];
    };
  }

  // As high as an axis reaches: of what goes beyond, error bars are cut off, as in the static figures.
  most(lines) {
    const means = lines.filter(([name]) => !this.off.has(name)).flatMap(([, values]) => values.map((v) => v?.[0] ?? 0));
    return CUT * Math.max(0, ...means);
  }

  axisX() {
    const parameter = this.data.parameters[this.along];
    const label = parameter ? (parameter.unit ? `${parameter.name} (${parameter.unit})` : parameter.name) : "";
    if (this.numeric) return axis(label, { size: FLAT, values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : said(tick))) });
    const room = widthOf(this.plot) / Math.max(1, this.words.length) - 6;
    const long = Math.max(...this.words.map((word) => word.length), 1) * 6.6;
    const turned = long > room;
    const short = (word) => (word.length > 22 ? `${word.slice(0, 21)}…` : word);
    return axis(label, {
      size: turned ? Math.min(150, long * 0.9 + 16) : FLAT,
      rotate: turned ? -60 : 0,
      splits: () => this.words.map((_, i) => i),
      values: (_, ticks) => ticks.map((tick) => short(this.words[tick] ?? "")),
      grid: { show: false },
    });
  }

  // Beside each other where several lines have a value at one place.
  drawIntervals(chart, lines) {
    const { ctx: context } = chart;
    context.save();
    context.beginPath();
    context.rect(chart.bbox.left, chart.bbox.top, chart.bbox.width, chart.bbox.height);
    context.clip();
    context.lineWidth = 1.5 * devicePixelRatio;
    lines.forEach(([name, values], i) => {
      if (this.off.has(name)) return;
      context.strokeStyle = lookOf(i).colour;
      const cap = 4 * devicePixelRatio;
      values.forEach((value, at) => {
        if (!value || value[1] === null || (this.logY && value[1] <= 0)) return;
        const x = chart.valToPos(chart.data[0][at], "x", true);
        const [low, high] = [value[1], value[2]].map((end) => chart.valToPos(end, "y", true));
        context.beginPath();
        context.moveTo(x, low);
        context.lineTo(x, high);
        for (const end of [low, high]) {
          context.moveTo(x - cap, end);
          context.lineTo(x + cap, end);
        }
        context.stroke();
      });
    });
    context.restore();
  }

  drawLegend(lines) {
    this.values = new Map();
    const entries = lines.map(([name], i) => {
      const value = make("span", { class: "value" });
      this.values.set(name, value);
      const button = make("button", { type: "button", "aria-pressed": String(!this.off.has(name)) }, swatch(i), make("span", { class: "name" }, name), value);
      button.addEventListener("click", () => {
        if (this.off.has(name)) this.off.delete(name);
        else this.off.add(name);
        button.setAttribute("aria-pressed", String(!this.off.has(name)));
        this.chart.setSeries(i + 1, { show: !this.off.has(name) });
        this.chart.redraw(true, true);
      });
      return make("li", {}, button);
    });
    this.where = make("li", { class: "shade" });
    this.legend.replaceChildren(...entries, this.where);
  }

  sayValues() {
    const place = this.chart.cursor.idx;
    const there = place !== null && place !== undefined && this.chart.cursor.left >= 0;
    for (const [name, values] of this.shown) {
      const value = there ? values[place] : null;
      const text = !value ? "" : value[1] === null ? said(value[0]) : `${said(value[0])} (${said(value[1])} to ${said(value[2])})`;
      this.values.get(name).textContent = text;
    }
    const at = this.chart.data[0][place];
    this.where.textContent = there ? `at ${this.numeric ? said(at) : this.words[at]}` : "";
  }

  onKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const places = this.chart.data[0];
    const now = this.chart.cursor.left < 0 ? (step > 0 ? -1 : places.length) : this.chart.cursor.idx;
    const next = Math.min(places.length - 1, Math.max(0, now + step));
    this.chart.setCursor({ left: this.chart.valToPos(places[next], "x"), top: this.chart.over.clientHeight / 2 });
  }

  csv(metric) {
    const { parameters, metrics } = this.data;
    const { unit } = metrics[this.metric];
    const name = unit ? `${metric} [${unit}]` : metric;
    const heads = [...parameters.map((p) => p.name), "runs", name, `${name} low`, `${name} high`];
    return csvOf([heads, ...this.rows().map((row) => [...row.said, row.runs, ...(row.values[this.metric] ?? [null, null, null])])]);
  }

  redraw() {
    this.draw();
  }
}
