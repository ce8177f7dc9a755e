// What is played, and how far: one run, or two of the same scenario side by side.

import { Samples } from "./samples.js";
import { Refused, Simulator } from "./simulator.js";

// No run is ahead of the other by more than this share of the whole.
const APART = 1 / 20;

/** One run, its worker and its rows. */
export class Side {
  constructor(module, changed) {
    this.changed = changed;
    this.simulator = new Simulator(module, (news) => this.hear(news));
  }

  async open(request) {
    this.opening = true;
    try {
      const about = await this.simulator.open(request);
      const tcp = about.groups.filter((group) => group.transport === "tcp").map((group) => group.group);
      Object.assign(this, { about, samples: new Samples(tcp), now: 0, spent: 0, ended: null, failed: null });
    } finally {
      this.opening = false;
    }
  }

  hear({ rows, now, spent, ended, failed }) {
    // A new run is being opened, so this is of the old one.
    if (this.opening) return;
    if (failed) this.failed = failed;
    else {
      this.samples.take(rows);
      Object.assign(this, { now, spent, ended: ended ?? null });
    }
    this.changed();
  }
}

export class Player {
  /** `tell` is called when there is something new to show: "opened", "refused", "moved". */
  constructor(module, tell) {
    this.module = module;
    this.tell = tell;
    this.sides = [new Side(module, () => tell("moved"))];
    this.play = null;
    this.speed = 1;
    this.playing = false;
    this.target = 0;
    this.asking = 0;
    this.frame = this.frame.bind(this);
    requestAnimationFrame(this.frame);
  }

  get about() { return this.sides[0].about; }
  get now() { return Math.min(...this.sides.map((side) => side.now ?? 0)); }
  get over() { return this.sides.every((side) => side.ended || side.failed); }

  requests() {
    const { text, sets, run, versus } = this.play;
    const overrides = [...sets];
    const request = { text, overrides, run };
    return versus ? [request, { ...request, overrides: [...overrides.filter(([path]) => path !== versus[0]), versus] }] : [request];
  }

  /** From the start; with `keep` as far as it was at once, so that what changed is seen over the whole time. */
  async restart(keep = false) {
    this.asking += 1;
    const asking = this.asking;
    const reach = keep ? Math.max(this.target === Infinity ? this.now : this.target, 0) : 0;
    const requests = this.requests();
    while (this.sides.length > requests.length) this.sides.pop().simulator.close();
    while (this.sides.length < requests.length) this.sides.push(new Side(this.module, () => this.tell("moved")));
    try {
      await Promise.all(requests.map((request, i) => this.sides[i].open(request)));
    } catch (error) {
      if (asking !== this.asking) return;
      this.playing = false;
      // Nothing stands on the stage that the scenario does not say.
      this.tell("refused", error instanceof Refused ? error.diagnostics : [{ severity: "error", message: error.message }]);
      return;
    }
    if (asking !== this.asking) return;
    this.target = Math.min(reach, this.about.duration_s);
    if (this.target > 0) this.go(this.target);
    this.tell("opened");
  }

  go(until) {
    for (const side of this.sides) side.simulator.go(until);
  }

  /** Changes the link in all runs from now on. */
  change(link, kind, value) {
    return Promise.all(this.sides.filter((side) => !side.ended).map((side) => side.simulator.change(link, kind, value)));
  }

  frame(clock) {
    requestAnimationFrame(this.frame);
    const passed = Math.min(0.1, (clock - (this.clock ?? clock)) / 1000);
    this.clock = clock;
    if (!this.playing || !this.about || this.sides.some((side) => side.opening)) return;
    const { duration_s: duration } = this.about;
    const ahead = this.now + duration * APART;
    this.target = this.speed === Infinity ? ahead : Math.min(Math.max(this.target, this.now) + passed * this.speed, ahead);
    if (this.target >= duration) this.target = duration;
    this.go(this.target);
    if (this.over) {
      this.playing = false;
      this.tell("moved");
    }
  }

  /** Simulated seconds for each second of work, of the slower run. */
  pace() {
    const paces = this.sides.filter((side) => side.spent > 20).map((side) => side.now / (side.spent / 1000));
    return paces.length ? Math.min(...paces) : null;
  }
}
