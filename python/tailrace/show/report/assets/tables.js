// Tables that are sorted by a click on a heading, and copied.

import { make } from "./dom.js";
import { copyButton, csvOf, fileNameOf, saveButton } from "./sharing.js";

// "1.2 ± 0.3" and "99.8 −1 +0.1" are sorted by their first number, "5 of 20" and "<0.001" likewise, what is none comes last.
function valueOf(text) {
  const found = /^\s*<?([+\-−]?[\d.]+(?:e[+-]?\d+)?)/i.exec(text);
  return found ? parseFloat(found[1].replace("−", "-")) : NaN;
}

const natural = new Intl.Collator("en", { numeric: true });

function compare(a, b) {
  const [x, y] = [valueOf(a), valueOf(b)];
  if (!Number.isNaN(x) && !Number.isNaN(y) && x !== y) return x - y;
  return natural.compare(a, b);
}

function sortBy(table, place, down) {
  const body = table.tBodies[0];
  const textOf = (row) => row.cells[place].textContent;
  const rows = [...body.rows];
  const there = rows.filter((row) => textOf(row).trim() !== "–");
  const none = rows.filter((row) => textOf(row).trim() === "–");
  there.sort((a, b) => (down ? -1 : 1) * compare(textOf(a), textOf(b)));
  body.append(...there, ...none);
}

function rowsOf(table) {
  return [...table.rows].map((row) => [...row.cells].map((cell) => cell.dataset.text ?? cell.textContent));
}

function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    const text = head.textContent;
    head.dataset.text = text;
    const button = make("button", { type: "button", title: "Sort by this column" }, text);
    button.addEventListener("click", () => {
      // Numbers from the largest on first, names from the first.
      const before = head.getAttribute("aria-sort");
      const down = before ? before === "ascending" : head.classList.contains("number");
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      sortBy(table, place, down);
    });
    head.replaceChildren(button);
  });
}

export function livenTables() {
  for (const table of document.querySelectorAll("table.data")) {
    sortable(table);
    const title = table.caption?.textContent ?? "table";
    const tabs = () => rowsOf(table).map((row) => row.join("\t")).join("\n") + "\n";
    const tools = make("div", { class: "tools" },
      copyButton("Copy", tabs),
      saveButton("CSV", fileNameOf(title, "csv"), () => csvOf(rowsOf(table)), "text/csv"));
    table.closest(".scroll").before(tools);
  }
}

export function livenTexts() {
  for (const pre of document.querySelectorAll("pre.copied")) {
    const tools = make("div", { class: "copied-bar" }, copyButton("Copy", () => pre.textContent));
    if (pre.dataset.what === "the scenario")
      tools.append(saveButton("Save", "scenario.toml", () => pre.textContent));
    pre.before(tools);
  }
}
