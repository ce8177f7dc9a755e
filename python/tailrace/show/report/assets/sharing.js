// What can be taken out of the page: to the clipboard, or as a file.

import { make } from "./dom.js";

export async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A page that was opened as a file, or stands in a frame, may not.
    const area = make("textarea", { class: "hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

export function copyButton(words, textOf) {
  const button = make("button", { type: "button" }, words);
  button.addEventListener("click", async () => {
    button.textContent = (await toClipboard(textOf())) ? "Copied" : "Could not copy";
    setTimeout(() => { button.textContent = words; }, 1500);
  });
  return button;
}

/** A file of that name, or of the one that a function says by then. */
export function saveButton(words, fileName, textOf, type = "text/plain") {
  return make("button", {
    type: "button",
    onclick: async () => {
      const place = URL.createObjectURL(new Blob([await textOf()], { type }));
      const link = make("a", { href: place, download: typeof fileName === "function" ? fileName() : fileName });
      document.body.append(link);
      link.click();
      link.remove();
      setTimeout(() => URL.revokeObjectURL(place), 1000);
    },
  }, words);
}

export function csvOf(rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    // A cell that begins like a formula would be one in a spreadsheet.
    const safe = /^[=+@\t]|^-(?![\d.])/.test(text) ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

export function fileNameOf(text, end) {
  return `${text.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "") || "report"}.${end}`;
}
