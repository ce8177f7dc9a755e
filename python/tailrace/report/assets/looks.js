// Colours and dashes of lines, those of tailrace's static figures; black is the ink of the page.

import { make } from "./dom.js";
import { colourOf } from "./theme.js";

let known = [];

export function setLooks(found) {
  known = found;
}

export function lookOf(number) {
  const look = known[number % known.length];
  return { colour: look.colour === "#000000" ? colourOf("black-line") : look.colour, dash: look.dash };
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
