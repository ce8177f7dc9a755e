// Colours and dashes of lines, those of tailrace's static figures.

import { make } from "./dom.js";
import { colourOf } from "./theme.js";

let known = [];
// The darkest of them, as much lighter as a dark ground asks for; of the same hue.
const ON_DARK = { "#0072B2": "#2a8fd6", "#D55E00": "#ea7426", "#009E73": "#20b98d", "#000000": "#e7eaee" };

export function setLooks(found) {
  known = found;
}

export function lookOf(number) {
  const look = known[number % known.length];
  return { colour: colourOf("black-line") === "#000000" ? look.colour : ON_DARK[look.colour] ?? look.colour, dash: look.dash };
}

export function faded(colour, alpha) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return `rgba(${r}, ${g}, ${b}, ${alpha})`;
}

export function swatch(number) {
  const { colour, dash } = lookOf(number);
  const line = make("line", {
    x1: 0, x2: 28, y1: 5, y2: 5, stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dash.join(" ") || null,
  });
  return make("svg", { width: 28, height: 10, "aria-hidden": "true" }, line);
}
