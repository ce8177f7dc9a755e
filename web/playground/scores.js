// What a run comes to so far, in a few numbers.

import { make } from "../../python/tailrace/show/report/assets/dom.js";
import { mean } from "./samples.js";

function shown(value, unit, digits = 3) {
  return value === null || value === undefined ? "–" : `${Number(value.toPrecision(digits)).toLocaleString("en")} ${unit}`;
}

function rowsOf(side) {
  const { samples, queue, groups } = side;
  const last = (values) => values.findLast((value) => value !== null) ?? null;
  const total = samples.totals.get(queue);
  const waiting = samples.waiting.of(queue);
  return [
    ...groups.map((group) => [`${group} received`, shown(mean(samples.goodput.of(group)), "Mbit/s"), "mean so far, by applications"]),
    ["link carried", shown(mean(samples.carried.of(queue)), "Mbit/s"), "mean so far"],
    ["waiting", waiting.length ? `${Math.round(mean(waiting))} packets` : "–", "mean so far"],
    ["time in the queue", shown(mean(samples.delay.of(queue)), "ms"), "mean so far"],
    ["time in the queue now", shown(last(samples.delay.of(queue)), "ms"), "the latest value"],
    ["dropped", total ? `${total.dropped.toLocaleString("en")} packets` : "–", "since the start"],
    ["marked", total ? `${total.marked.toLocaleString("en")} packets` : "–", "since the start"],
  ];
}

/** The table anew: a column for each side. */
export function showScores(place, sides) {
  const columns = sides.map(rowsOf);
  const names = [...new Set(columns.flatMap((rows) => rows.map(([name]) => name)))];
  const row = (name) => {
    const found = columns.map((rows) => rows.find(([other]) => other === name));
    const says = found.find(Boolean)[2];
    return make("tr", {}, make("th", { scope: "row" }, name, make("small", {}, ` ${says}`)), ...found.map((one) => make("td", { class: "number" }, one?.[1] ?? "–")));
  };
  const head = make("tr", {}, make("td", {}), ...sides.map((side) => make("th", { scope: "col", class: "number" }, side.name)));
  place.replaceChildren(make("thead", {}, head), make("tbody", {}, ...names.map(row)));
}
