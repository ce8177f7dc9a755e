// What all figures have in common: axes, their range, numbers on them.

import { colourOf } from "./theme.js";

// As high above the highest line as a band may reach.
const HEADROOM = 1.6;

export function said(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

export function axis(label, more = {}) {
  return {
    label,
    labelSize: 20,
    labelGap: 2,
    labelFont: "13px system-ui, sans-serif",
    font: "12px system-ui, sans-serif",
    stroke: colourOf("quiet"),
    grid: { stroke: colourOf("grid"), width: 1 },
    ticks: { stroke: colourOf("grid"), width: 1 },
    ...more,
  };
}

// From zero on where all is above it; bands do not dwarf the lines that they are around.
export function rangeOf(lines, shown) {
  return (chart, least, most) => {
    if (least === null || most === null) return [0, 1];
    const [from, to] = shown();
    const times = chart.data[0];
    let [low, high] = [Infinity, -Infinity];
    for (const place of lines) {
      if (!chart.series[place].show) continue;
      const values = chart.data[place];
      for (let i = 0; i < values.length; i += 1) {
        const value = values[i];
        if (value === null || value === undefined || times[i] < from || times[i] > to) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (low > high) return [0, 1];
    const top = high > 0 ? Math.max(high * 1.05, Math.min(most, high * HEADROOM)) : Math.max(most, 0);
    const bottom = low < 0 ? Math.min(low * 1.05, Math.max(least, low * HEADROOM)) : 0;
    return top > bottom ? [bottom, top] : [bottom, bottom + 1];
  };
}

// Of a logarithmic axis what is not above zero has no place.
export function above(values) {
  return values.map((value) => (value !== null && value > 0 ? value : null));
}

export function widthOf(element) {
  return Math.max(260, Math.floor(element.clientWidth || element.parentElement.clientWidth || 600));
}
