// Figures of one run, or of two beside each other with the same axes.

import { TimeCharts } from "../../python/tailrace/show/report/assets/timechart.js";
import { make } from "../../python/tailrace/show/report/assets/dom.js";

// More lines than this are not told apart at once: the others wait for a click.
const AT_FIRST = 8;
const LOOK = { waiting: 0, delay: 2, drops: 1, marks: 3 };

const FIGURES = [
  {
    name: "waiting", title: "Queue", axis: "packets waiting", height: 230,
    says: "Packets that wait in front of the link, because more come than it can send.",
    lines: ({ samples, queue }) => [["waiting", samples.waiting.of(queue), LOOK.waiting]],
    times: ({ samples }) => samples.waiting.times,
  },
  {
    name: "throughput", title: "Who gets what", axis: "Mbit/s",
    says: "What arrives of each group of flows, all its flows together.",
    lines: ({ samples, groups }) => groups.map((group, i) => [group, samples.throughput.of(group), i]),
    times: ({ samples }) => samples.throughput.times,
  },
  {
    name: "windows", title: "Windows", axis: "packets under way",
    says: "How many packets each TCP flow may have under way. It grows until packets are lost, then shrinks.",
    lines: ({ samples }) => [...samples.windows.lines].map(([label, values], i) => [label, values, i]),
    times: ({ samples }) => samples.windows.times,
  },
  {
    name: "drops", title: "Drops and marks", axis: "packets/s",
    says: "Packets that the queue threw away, or marked to say “slow down” where sender and queue know ECN.",
    lines: ({ samples, queue }) => [["dropped", samples.dropped.of(queue), LOOK.drops], ["marked", samples.marked.of(queue), LOOK.marks]],
    times: ({ samples }) => samples.dropped.times,
  },
  {
    name: "delay", title: "Time in the queue", axis: "ms",
    says: "How long packets waited that left the queue: what a call or a game feels.",
    lines: ({ samples, queue }) => [["time waited", samples.delay.of(queue), LOOK.delay]],
    times: ({ samples }) => samples.delay.times,
  },
];

export class Stage {
  constructor(place, tools) {
    this.place = place;
    this.tools = tools;
  }

  /** Sets the figures up: a column for each of `sides`, { samples, queue, groups, name }. */
  open(sides) {
    this.sides = sides;
    const pairs = FIGURES.flatMap((figure) => sides.map((side, i) => ({ figure, side, i })));
    const data = pairs.map(({ figure, side, i }) => this.dataOf(figure, side, i));
    for (const chart of this.all?.charts ?? []) chart.chart?.destroy();
    this.all = new TimeCharts(data);
    this.place.classList.toggle("versus", sides.length > 1);
    this.place.replaceChildren(...pairs.map(({ figure, side }, n) => {
      const name = sides.length > 1 ? make("span", { class: "which" }, ` ${side.name}`) : null;
      const caption = make("figcaption", {}, make("h3", {}, figure.title, name), make("p", { class: "note" }, figure.says));
      const found = make("figure", { "data-chart": data[n].name }, caption);
      return found;
    }));
    this.all.charts.forEach((chart, n) => chart.mount(this.place.children[n]));
    this.tools.replaceChildren();
    this.all.tools(this.tools);
    this.renew(0);
  }

  dataOf(figure, side, i) {
    const name = `${figure.name}${this.sides.length > 1 ? `-${i + 1}` : ""}`;
    const view = { part: "", runs: "", axis: figure.axis, times: [], lines: [], note: "" };
    this.fill(figure, side, view);
    return { name, title: figure.title, views: [view], spans: side.spans, scale: figure.name, height: figure.height ?? 200, figure, side };
  }

  fill(figure, side, view) {
    view.times = figure.times(side);
    view.lines = figure.lines(side).map(([label, values, look]) => ({ label, look, values }));
  }

  /** There are more samples, up to so many seconds. */
  renew(until) {
    for (const chart of this.all.charts) {
      const { figure, side } = chart.data;
      const known = chart.view.lines.length;
      this.fill(figure, side, chart.view);
      for (const line of chart.view.lines.slice(Math.max(known, AT_FIRST))) this.all.off.add(line.label);
    }
    this.all.renew(until);
  }

  redraw() {
    for (const chart of this.all?.charts ?? []) chart.redraw();
  }
}
