// What the simulator says against a scenario, as its command line does: place, what is wrong, what to do; and where a browser is not enough.

import { make } from "../../python/tailrace/show/report/assets/dom.js";

// With what it takes to run it outside of the browser.
function natively(diagnostics, run) {
  if (diagnostics.some(({ code }) => code === "too-large"))
    return ["This scenario is too large for a browser. Save it, install Tailrace, and run it there:", run];
  if (diagnostics.some(({ label }) => /no browser can start/.test(label ?? "")))
    return ["Hosts with a Linux kernel of their own run natively only, on Linux. Save the scenario, and run:", run];
  if (diagnostics.some(({ message, label }) => /^unknown (queue discipline|congestion control)/.test(message) && !/^did you mean/.test(label ?? "")))
    return ["Should that be an algorithm of your own in Python: it runs natively only. Save the scenario, and run:", `${run} --with YOUR-FILE.py`];
  if (diagnostics.some(({ message, label, help }) => /a page has no such file/.test([message, label, help].join(" "))))
    return ["Files beside the scenario are read natively only:", run];
  return null;
}

function entry(one, goTo) {
  const { severity, code, message, label, help, line, column, override } = one;
  const where = line ? `line ${line}, column ${column}` : override ? `set here: ${override.path} = ${override.value}` : "";
  const place = line ? make("button", { type: "button", onclick: () => goTo(line, column) }, where) : make("span", {}, where);
  return make("li", { class: severity }, make("b", {}, `${severity}${code ? ` (${code})` : ""}: `), message, " ", place,
    label ? make("p", {}, label) : null, help ? make("p", {}, `help: ${help}`) : null);
}

/** `run` is the command that runs the scenario natively. */
export function showProblems(place, diagnostics, run, goTo) {
  const native = natively(diagnostics, run);
  place.replaceChildren(
    ...(native ? [make("div", { class: "native" }, make("p", {}, native[0]), make("pre", {}, make("code", {}, native[1])))] : []),
    ...(diagnostics.length ? [make("ul", {}, ...diagnostics.map((one) => entry(one, goTo)))] : []));
  place.hidden = !diagnostics.length;
}
