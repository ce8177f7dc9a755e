// Elements, made of text that stays text.

export function make(name, attributes = {}, ...children) {
  const svg = ["svg", "line", "path"].includes(name);
  const found = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) found.addEventListener(key.slice(2), value);
    else found.setAttribute(key, value === true ? "" : value);
  }
  found.append(...children.filter((child) => child !== null && child !== undefined));
  return found;
}

export function choice(label, options, chosen, changed) {
  const select = make("select", { onchange: () => changed(select.value) });
  for (const [value, text] of options) select.append(make("option", { value, selected: value === chosen }, text));
  return make("label", {}, label, select);
}

export function pushButton(text, pressed, toggled, title) {
  const button = make("button", { type: "button", "aria-pressed": String(pressed), title }, text);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(now));
    toggled(now);
  });
  return button;
}
