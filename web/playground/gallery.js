// Scenarios to begin with: the gallery's and those of the papers.

import { make } from "../../python/tailrace/show/report/assets/dom.js";

const GROUPS = {
  scenarios: "Questions", alenazi2019: "Alenazi 2019: Multipath TCP under failures", bedi2014: "Bedi 2014: deterministic fair sharing", cao2021: "Cao 2021: attacks on Multipath TCP",
  felix: "Félix: CoDel-LIFO in heterogeneous networks", kochher: "Kochher: six queues on a slow link",
};

export class Gallery {
  constructor(version) {
    this.version = version;
  }

  entries() {
    this.found ??= fetch(`gallery.json?${this.version}`).then((answer) => {
      if (!answer.ok) throw new Error(`the gallery could not be loaded (${answer.status})`);
      return answer.json();
    });
    return this.found;
  }

  /** By its name; of a paper's also without the folder where that is plain. */
  async find(name) {
    const entries = await this.entries();
    const found = entries.find((one) => one.name === name) ?? entries.find((one) => one.name.endsWith(`/${name}`));
    if (!found) throw new Error(`the gallery has no scenario called ${JSON.stringify(name)}`);
    return found;
  }

  async show(place, chosen) {
    const entries = await this.entries();
    const groups = [...new Set(entries.map((one) => one.group))];
    place.replaceChildren(...groups.flatMap((group) => [
      make("h3", {}, GROUPS[group] ?? group),
      make("ul", {}, ...entries.filter((one) => one.group === group).map((one) => make("li", {},
        make("button", { type: "button", onclick: () => chosen(one) }, make("b", {}, one.question || one.name), make("small", {}, one.name))))),
    ]));
  }
}
