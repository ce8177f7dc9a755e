// Light or dark: as the system has it, until somebody chooses.

import { make } from "./dom.js";

const listeners = [];

export function colourOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function onTheme(listener) {
  listeners.push(listener);
}

function told() {
  for (const listener of listeners) listener();
}

export function themeButton() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const button = make("button", { type: "button", class: "theme" });
  const say = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    say();
    told();
  });
  dark.addEventListener("change", () => { say(); told(); });
  say();
  return make("li", { class: "theme-place" }, button);
}
