// Windows, attacks and faults behind a figure over time.

import { faded } from "./looks.js";
import { make } from "./dom.js";
import { colourOf } from "./theme.js";

function hatched(context, left, top, width, height, colour) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = devicePixelRatio;
  const step = 9 * devicePixelRatio;
  context.beginPath();
  for (let x = left - height - (left % step); x < left + width; x += step) {
    context.moveTo(x, top + height);
    context.lineTo(x + height, top);
  }
  context.stroke();
  context.restore();
}

export function drawShades(chart, spans) {
  const { ctx: context, bbox: box } = chart;
  for (const span of spans) {
    const [from, to] = [span.from, span.to].map((at) => chart.valToPos(at, "x", true));
    const left = Math.max(from, box.left);
    const width = Math.min(to, box.left + box.width) - left;
    if (width <= 0) continue;
    if (span.what === "fault") {
      hatched(context, left, box.top, width, box.height, colourOf("unseen"));
      continue;
    }
    context.fillStyle = span.what === "attack" ? faded(colourOf("attack"), 0.09) : `rgba(${colourOf("shade")}, 0.06)`;
    context.fillRect(left, box.top, width, box.height);
    if (span.what === "window") nameWindow(context, span.name, left, box.top, width);
  }
}

function nameWindow(context, name, left, top, width) {
  context.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  if (context.measureText(name).width > width) return;
  context.fillStyle = colourOf("quiet");
  context.textAlign = "center";
  context.textBaseline = "top";
  context.fillText(name, left + width / 2, top + 3 * devicePixelRatio);
}

export function shadeEntries(spans) {
  const said = new Map(spans.map((span) => [
    span.what === "window" ? "window" : span.what === "attack" ? `${span.name} under way` : `fault: ${span.name}`,
    span.what,
  ]));
  return [...said].slice(0, 8).map(([text, what]) => make("li", { class: "shade" }, make("i", { class: what }), text));
}
