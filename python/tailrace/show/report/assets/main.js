// Brings the page to life: without this it has tables and static figures.

import { CellChart } from "./cellchart.js";
import { setLooks } from "./looks.js";
import { livenTables, livenTexts } from "./tables.js";
import { onTheme, themeButton } from "./theme.js";
import { TimeCharts } from "./timechart.js";

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  document.querySelector("nav ul").append(themeButton());
  livenTables();
  livenTexts();
  setLooks(data.looks);
  // Before figures are drawn, since their width is that of their place.
  document.documentElement.classList.add("scripted");
  const live = [];
  if (data.charts.length) {
    const all = new TimeCharts(data.charts);
    all.tools(document.getElementById("time-tools"));
    for (const chart of all.charts) chart.mount(document.querySelector(`[data-chart="${CSS.escape(chart.data.name)}"]`));
    live.push(...all.charts);
  }
  for (const [name, cells] of Object.entries(data.cells ?? {})) {
    const chart = new CellChart(cells);
    chart.mount(document.querySelector(`[data-chart="${CSS.escape(name)}"]`));
    live.push(chart);
  }
  onTheme(() => live.forEach((chart) => chart.redraw()));
  livenPrint(live);
}

// What is folded up is printed all the same, and figures for white paper.
function livenPrint(live) {
  const { dataset } = document.documentElement;
  let opened = [];
  let theme;
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const one of opened) one.open = true;
    theme = dataset.theme;
    dataset.theme = "light";
    live.forEach((chart) => chart.redraw());
  });
  addEventListener("afterprint", () => {
    opened.forEach((one) => { one.open = false; });
    if (theme) dataset.theme = theme;
    else delete dataset.theme;
    live.forEach((chart) => chart.redraw());
  });
}

try {
  start();
} catch (error) {
  // Static figures are better than none.
  document.documentElement.classList.remove("scripted");
  console.error(error);
}
