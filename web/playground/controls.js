// Sliders and choices for what a scenario has: the link with the queue under study, attacks, values of its sweep.

import { make } from "../../python/tailrace/show/report/assets/dom.js";

const FAMILIES = {
  fifo: "Plain queues", delay: "By delay", red: "By average length", price: "By a price or probability", fair: "Fair between flows", blue: "By losses and idleness",
};
const STEPS = 200;

const round = (value, digits = 3) => Number(value.toPrecision(digits));

export function rateText(bps) {
  const [size, unit] = bps >= 1e9 ? [1e9, "Gbit/s"] : bps >= 1e6 ? [1e6, "Mbit/s"] : bps >= 1e3 ? [1e3, "kbit/s"] : [1, "bit/s"];
  return `${round(bps / size)} ${unit}`;
}

function quoted(text) {
  return JSON.stringify(text);
}

/** TOML of a queue of this kind with the limit of another, where it has one. */
export function queueValue(kind, limit, known) {
  const info = known.find((queue) => queue.name === kind);
  return limit && info?.limit !== false ? `{ kind = ${quoted(kind)}, limit = ${quoted(limit)} }` : `{ kind = ${quoted(kind)} }`;
}

// A logarithmic slider from least to most, or with 0 at its left end.
function slider({ name, value, least, most, zero = false, text, says, moved }) {
  const log = Math.log(most / least);
  const toStep = (v) => (v <= 0 ? 0 : Math.round(Math.min(1, Math.max(0, Math.log(v / least) / log)) * STEPS));
  const fromStep = (s) => (zero && s === 0 ? 0 : round(least * Math.exp((log * s) / STEPS)));
  const output = make("output", {}, text(value));
  const input = make("input", { type: "range", min: 0, max: STEPS, step: 1, value: String(toStep(value)), "aria-valuetext": text(value), "data-control": name });
  input.addEventListener("input", () => {
    const now = fromStep(Number(input.value));
    output.textContent = text(now);
    input.setAttribute("aria-valuetext", text(now));
    moved(now);
  });
  return make("label", { class: "slider", title: says }, make("span", { class: "about" }, name), output, input);
}

function select(name, groups, chosen, changed, says) {
  const found = make("select", { onchange: () => changed(found.value), "data-control": name });
  for (const [title, options] of groups) {
    const place = title ? make("optgroup", { label: title }) : found;
    for (const [value, text] of options) place.append(make("option", { value, selected: value === chosen }, text));
    if (title) found.append(place);
  }
  return make("label", { class: "choice", title: says }, make("span", { class: "about" }, name), found);
}

const lastWords = (path) => path.split(".").slice(1).join(" ").replaceAll("_", " ");

function kindsByFamily(known) {
  const families = [...new Set(known.map((queue) => queue.family))];
  return families.map((family) => [FAMILIES[family] ?? family, known.filter((queue) => queue.family === family).map((queue) => [queue.name, queue.name])]);
}

/** Text of a TOML value as people say it: without quotes, of a table its kind first. */
export function plainly(toml) {
  if (toml === null || toml === undefined) return "";
  const kind = /^\{\s*kind\s*=\s*"([^"]*)"\s*(?:,\s*)?(.*)\}$/s.exec(toml);
  const text = kind ? [kind[1], kind[2].trim()].filter(Boolean).join(", ") : toml;
  return text.replaceAll('"', "");
}

export class Controls {
  /** `acts`: show(queue), live(link, kind, value, path, toml), set(path, toml), versus(pair or null), run(number). */
  constructor(place, known, acts) {
    Object.assign(this, { place, known, acts });
  }

  draw({ about, queue, play }) {
    this.about = about;
    this.queue = about.queues.find((one) => one.queue === queue) ?? about.queues[0];
    this.play = play;
    const parts = [this.ofQueue(), this.ofVersus(), this.ofLink(), this.ofAttacks(), this.ofAxes(), this.ofRun()];
    this.place.replaceChildren(...parts.filter(Boolean));
  }

  part(title, ...content) {
    const there = content.flat().filter(Boolean);
    return there.length ? make("fieldset", {}, make("legend", {}, title), ...there) : null;
  }

  ofQueue() {
    const { queue, about } = this;
    if (!queue) return null;
    const { path, kind, limit } = queue;
    const content = [];
    if (about.queues.length > 1)
      content.push(select("which", [["", about.queues.map((one) => [one.queue, `${one.queue} (${one.kind})`])]], queue.queue, (name) => this.acts.show(name), "Queues of this scenario; figures are of this one"));
    if (path) {
      content.push(select("discipline", kindsByFamily(this.known), kind, (next) => this.acts.set(`${path}.queue`, queueValue(next, limit, this.known)), "How the queue decides who goes next and who is thrown away"));
      const says = this.known.find((one) => one.name === kind)?.says;
      if (says) content.push(make("p", { class: "note" }, says));
      const packets = /^(\d+) packets?$/.exec(limit ?? "");
      if (packets)
        content.push(slider({
          name: "limit", value: Number(packets[1]), least: 1, most: Math.max(2000, Number(packets[1]) * 4), text: (n) => `${Math.round(n)} packets`,
          says: "Most packets that may wait", moved: (n) => this.acts.set(`${path}.queue.limit`, quoted(`${Math.max(1, Math.round(n))} packets`)),
        }));
    }
    return this.part("Queue", content);
  }

  ofLink() {
    const { queue } = this;
    if (!queue) return null;
    const { link, path } = queue;
    const at = (key) => (path ? `${path}.${key}` : null);
    const content = [];
    if (queue.rate_bps && !queue.shared)
      content.push(slider({
        name: "rate", value: queue.rate_bps, least: queue.rate_bps / 20, most: queue.rate_bps * 20, text: rateText, says: "How much the link sends a second",
        moved: (bps) => this.acts.live(link, "rate", Math.round(bps), at("rate"), quoted(rateText(bps))),
      }));
    if (queue.delay_s !== null) {
      const most = Math.max(0.5, queue.delay_s * 4);
      content.push(slider({
        name: "delay", value: queue.delay_s, least: 0.0005, most, zero: true, text: (s) => `${round(s * 1000)} ms`, says: "How long the way over the link takes, one way",
        moved: (s) => this.acts.live(link, "delay", s, at("delay"), quoted(`${round(s * 1000)} ms`)),
      }));
    }
    if (queue.loss !== null)
      content.push(slider({
        name: "loss", value: queue.loss, least: 0.0001, most: 0.2, zero: true, text: (p) => `${round(p * 100)} %`, says: "Share of packets that the link itself loses",
        moved: (p) => this.acts.live(link, "loss", p, at("loss"), String(p)),
      }));
    return this.part("Link", content);
  }

  ofAttacks() {
    const capacity = this.queue?.rate_bps ?? 1e7;
    return this.part("Attack", this.about.attacks.map(({ group, enabled, rate, switch: path }) => {
      const box = make("input", { type: "checkbox", checked: enabled, "data-control": `attack ${group}`, onchange: () => this.acts.set(path, String(box.checked)) });
      const found = [make("label", { class: "switch" }, box, ` ${group}`)];
      if (rate)
        found.push(slider({
          name: "attack rate", value: rate.bps, least: capacity / 50, most: Math.max(capacity * 5, rate.bps * 2), text: rateText, says: "How much each flow of the attack sends",
          moved: (bps) => this.acts.set(rate.path, quoted(rateText(bps))),
        }));
      return found;
    }).flat());
  }

  ofAxes() {
    const axes = this.about.axes.filter(({ values }) => values.length > 1);
    return this.part("Try also", axes.map(({ path, values, now }) => {
      const chosen = this.play.sets.get(path) ?? now;
      const options = values.map((value) => [value, plainly(value)]);
      if (!values.includes(chosen)) options.unshift([chosen ?? "", plainly(chosen) || "as in the file"]);
      return select(lastWords(path), [["", options]], chosen ?? "", (value) => this.acts.set(path, value), path);
    }));
  }

  ofVersus() {
    const { queue, about, play } = this;
    const word = (pair) => `${pair[0]}=${pair[1]}`;
    const groups = [["", [["", "nothing"]]]];
    for (const { path, values } of about.axes) groups.push([`Values of this scenario: ${lastWords(path)}`, values.map((value) => [word([path, value]), plainly(value)])]);
    if (queue?.path)
      for (const [family, kinds] of kindsByFamily(this.known))
        groups.push([family, kinds.map(([kind]) => [word([`${queue.path}.queue`, queueValue(kind, queue.limit, this.known)]), kind])]);
    const chosen = play.versus ? word(play.versus) : "";
    const all = groups.flatMap(([, options]) => options);
    if (!all.some(([value]) => value === chosen)) groups[0][1].push([chosen, plainly(play.versus[1])]);
    const changed = (value) => this.acts.versus(value ? [value.slice(0, value.indexOf("=")), value.slice(value.indexOf("=") + 1)] : null);
    return this.part("Compare", select("with", groups, chosen, changed, "The same scenario and the same chance beside it, with this one difference"));
  }

  ofRun() {
    const next = make("button", { type: "button", onclick: () => this.acts.run(this.play.run + 1), title: "The same scenario with other random numbers" }, "Another run");
    const back = this.play.run > 1 ? make("button", { type: "button", onclick: () => this.acts.run(this.play.run - 1) }, "The one before") : null;
    return this.part("Chance", make("div", { class: "tools" }, make("span", { class: "said" }, `run ${this.play.run}, seed ${this.about.seed}`), next, back));
  }
}
