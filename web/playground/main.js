// The playground: what is played, and what people do with it.

import { setLooks } from "../../python/tailrace/show/report/assets/looks.js";
import { saveButton, toClipboard } from "../../python/tailrace/show/report/assets/sharing.js";
import { onTheme, themeButton } from "../../python/tailrace/show/report/assets/theme.js";
import basics from "tailrace:basics";
import first from "./first.toml";
import { Controls, plainly, queueValue } from "./controls.js";
import { Gallery } from "./gallery.js";
import { asked, fragment } from "./links.js";
import { Player } from "./player.js";
import { showProblems } from "./problems.js";
import { showScores } from "./scores.js";
import { Stage } from "./stage.js";

const VERSION = new URL(import.meta.url).search.slice(1);
const SPEEDS = [[0.2, "⅕ of real time"], [1, "as in real time"], [5, "5 times"], [20, "20 times"], [100, "100 times"], [Infinity, "as fast as it goes"]];
// A run that nobody has said a speed for takes about so long.
const SECONDS = 12;
const WAIT_MS = 120;

const $ = (id) => document.getElementById(id);
const root = document.documentElement;
const gallery = new Gallery(VERSION);

function later(act, wait = WAIT_MS) {
  let timer;
  return (...words) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...words), wait);
  };
}

function stop(title, text) {
  const place = $("message");
  place.querySelector("h2").textContent = title;
  place.querySelector("p").textContent = text;
  place.hidden = false;
}

async function compiled() {
  const answer = await fetch(`tailrace.wasm?${VERSION}`);
  if (!answer.ok) throw new Error(`the simulator could not be loaded (${answer.status})`);
  // Some servers do not say what it is.
  if (answer.headers.get("content-type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(answer);
  return WebAssembly.compile(await answer.arrayBuffer());
}

class Playground {
  constructor(module) {
    this.player = new Player(module, (what, more) => this.heard(what, more));
    this.stage = new Stage($("stage"), $("time-tools"));
    this.controls = new Controls($("knobs"), basics.queues, {
      show: (queue) => { this.queue = queue; this.chosen = true; this.opened(); },
      set: (path, value) => this.set(path, value),
      live: (...change) => this.live(...change),
      versus: (pair) => { this.play.versus = pair; this.again(); },
      run: (run) => { this.play.run = run; this.again(); },
    });
    this.again = later(() => this.player.restart(true), 0);
    this.soon = later(() => this.player.restart(true));
    this.liven();
  }

  get play() { return this.player.play; }
  get file() { return `${this.player.about?.name ?? "scenario"}.toml`; }

  /** Begins with a scenario; what is set besides comes from a link. */
  async begin({ text, gallery: name = null, sets = [], versus = null, run = 1, queue = null }) {
    this.player.play = { text, original: text, gallery: name, sets: new Map(sets), versus, run };
    this.queue = null;
    this.chosen = false;
    if (queue) this.play.sets.set("link.bottleneck.queue", queueValue(queue, "100 packets", basics.queues));
    if (this.editor) this.editor.text = text;
    else $("plain-text").textContent = text;
    await this.start();
  }

  async start() {
    this.player.playing = true;
    this.fresh = true;
    await this.player.restart(false);
  }

  heard(what, more) {
    if (what === "refused") this.refused(more);
    else if (what === "opened") this.opened();
    else this.moved();
  }

  refused(diagnostics) {
    this.problems(diagnostics);
    this.edit();
    const ofControls = diagnostics.find((one) => one.override);
    if (ofControls && this.shown) {
      this.saySets([ofControls.message, ofControls.label, ofControls.help].filter(Boolean).join("; "));
    } else $("edit").scrollIntoView({ block: "nearest" });
    if (!this.shown) $("controls").hidden = $("figures").hidden = true;
    this.sayState();
    $("command").textContent = this.command(true);
    $("clock").textContent = "this scenario does not run: see why below";
    root.dataset.state = "refused";
  }

  problems(diagnostics) {
    showProblems($("problems"), diagnostics, this.command(true), (line, column) => this.editor?.goTo(line, column));
    this.editor?.show(diagnostics);
    this.said = diagnostics;
  }

  opened() {
    const { about, sides } = this.player;
    $("controls").hidden = $("figures").hidden = false;
    const names = about.queues.map((one) => one.queue);
    if (!names.includes(this.queue)) this.queue = slowest(about.queues)?.queue ?? null;
    if (this.fresh) this.chooseSpeed(about);
    this.fresh = false;
    this.problems(about.warnings);
    $("title").textContent = about.name === "playground" ? "Play with a queue" : about.name.replaceAll("-", " ");
    $("question").textContent = about.question;
    document.title = `${about.name} · Tailrace playground`;
    this.controls.draw({ about, queue: this.queue, play: this.play });
    this.shown = sides.map((side, i) => ({
      side, queue: this.queue, name: this.nameOf(side, i),
      get samples() { return side.samples; },
      spans: attacksOf(side.about),
      groups: side.about.groups.filter((group) => group.enabled).map((group) => group.group),
    }));
    this.stage.open(this.shown);
    this.saySets();
    this.sayCommand();
    this.moved();
  }

  nameOf(side, i) {
    const { versus, sets } = this.play;
    const kind = side.about.queues.find((one) => one.queue === this.queue)?.kind ?? "";
    if (!versus) return kind || "this run";
    if (versus[0].endsWith(".queue")) {
      const kinds = this.player.sides.map((one) => one.about.queues.find((other) => other.queue === this.queue)?.kind);
      if (kinds[0] !== kinds[1]) return kind;
    }
    const axis = side.about.axes.find(({ path }) => path === versus[0]);
    return plainly(i ? versus[1] : sets.get(versus[0]) ?? axis?.now) || "as in the file";
  }

  moved() {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      this.draw();
    });
  }

  draw() {
    const { player } = this;
    if (!this.shown || !player.about) return;
    const busiest = player.sides[0].samples.busiest();
    // Until somebody chooses, and as long as little has happened.
    if (!this.chosen && busiest && busiest !== this.queue && player.now < player.about.duration_s / 4) {
      this.queue = busiest;
      this.opened();
      return;
    }
    const { duration_s: duration } = player.about;
    const reached = Math.max(...player.sides.map((side) => side.now));
    this.stage.renew(Math.min(duration, Math.max(reached, duration / 10)));
    showScores($("scores"), this.shown);
    this.sayState();
    if (reached > 0 && !root.dataset.picture) {
      root.dataset.picture = String(Math.round(performance.now()));
      this.edit();
    }
  }

  sayState() {
    const { player } = this;
    const { playing, about, over, now } = player;
    $("play").textContent = playing ? "Pause" : over ? "Play again" : "Play";
    $("play").setAttribute("aria-pressed", String(playing));
    if (!about) return;
    const failed = player.sides.find((side) => side.failed)?.failed;
    const pace = player.pace();
    const left = pace && player.speed > pace ? (about.duration_s - now) / pace : 0;
    const slow = playing && left > 20 ? `; about ${left > 120 ? `${Math.round(left / 60)} min` : `${Math.round(left)} s`} left in this browser, several times less natively` : "";
    $("clock").textContent = failed ? `stopped: ${failed}` : `${now.toFixed(1)} of ${about.duration_s} s${over ? theEnd(player.sides[0]) : ""}${slow}`;
    $("progress").value = now / about.duration_s;
    root.dataset.state = failed ? "failed" : over ? "over" : playing ? "playing" : "paused";
    const { ended } = player.sides[0];
    $("fingerprint-line").hidden = !ended;
    if (ended) $("fingerprint").textContent = ended.fingerprint;
  }

  chooseSpeed({ duration_s: duration }) {
    if (this.speedChosen) return;
    const speed = SPEEDS.map(([value]) => value).filter(Number.isFinite).find((value) => duration / value <= SECONDS * 1.5) ?? 100;
    this.player.speed = speed;
    $("speed").value = String(speed);
  }

  set(path, value) {
    this.play.sets.set(path, value);
    // What is within what is set goes with it.
    for (const other of [...this.play.sets.keys()]) if (other.startsWith(`${path}.`)) this.play.sets.delete(other);
    this.soon();
  }

  /** At once where a run is under way; else from the start, as it is over so soon. */
  live(link, kind, value, path, toml) {
    if (path) this.play.sets.set(path, toml);
    if (this.player.over) {
      if (path) this.soon();
      return;
    }
    this.player.change(link, kind, value).catch((error) => stop("That cannot be changed so", error.message));
    this.saySets();
    this.sayCommand();
  }

  saySets(against = "") {
    const { sets } = this.play;
    const place = $("set");
    place.hidden = !sets.size;
    place.classList.toggle("against", Boolean(against));
    const words = [...sets].map(([path, value]) => `${path} = ${plainly(value)}`).join("; ");
    const back = Object.assign(document.createElement("button"), { type: "button", textContent: "Back to the file" });
    back.addEventListener("click", () => { sets.clear(); this.again(); });
    place.replaceChildren(...(against ? [`That does not go: ${against}. `] : []), `Set here: ${words}. `, back);
  }

  /** Of the saved file, which has all that is set; of one that could not be opened it is the text alone. */
  command(plain = false) {
    const { run, sets } = this.play;
    const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
    const set = plain ? [...sets].map((pair) => ` --set ${quoted(pair.join("="))}`).join("") : "";
    return `tailrace run ${this.file}${set}${run > 1 ? ` --runs ${run}` : ""}`;
  }

  sayCommand() {
    $("command").textContent = this.command();
  }

  saved() {
    return root.dataset.state === "refused" ? this.editor?.text ?? this.play.text : this.player.sides[0].simulator.resolved();
  }

  async link() {
    const { gallery: name, text, original, sets, versus, run } = this.play;
    const same = text === original;
    const isFirst = same && name === null && text === first;
    const hash = await fragment({ gallery: same ? name : null, text: isFirst ? null : text, sets, versus, run });
    return new URL(hash, location.href);
  }

  async share(button) {
    const link = await this.link();
    this.own = link.hash;
    history.replaceState(null, "", link);
    const done = await toClipboard(link.href);
    const words = done ? "The link is on the clipboard" : "The link is in the address bar";
    $("shared").textContent = words;
    const before = button.textContent;
    button.textContent = done ? "Copied" : "See the address bar";
    setTimeout(() => { button.textContent = before; }, 1500);
  }

  async edit() {
    if (this.editor || this.loading) return;
    this.loading = true;
    try {
      const [{ Editor }, schema] = await Promise.all([import("./editor.js"), fetch(`schema.json?${VERSION}`).then((answer) => answer.json())]);
      $("editor").replaceChildren();
      this.editor = new Editor($("editor"), this.play.text, schema, { changed: later((text) => this.check(text), 200), run: () => this.runText() });
      this.editor.show(this.said ?? []);
      root.dataset.editor = "there";
    } catch (error) {
      $("checked").textContent = `The editor could not be loaded: ${error.message}`;
    }
  }

  async check(text) {
    const found = await this.player.sides[0].simulator.check({ text }).then(({ warnings }) => warnings, (error) => error.diagnostics ?? [{ severity: "error", message: error.message }]);
    if (this.editor.text !== text) return;
    this.problems(found);
    const errors = found.filter((one) => one.severity === "error").length;
    $("checked").textContent = errors ? `${errors} error${errors > 1 ? "s" : ""}` : text === this.play.text ? "" : "no errors: Run starts it";
    $("undo-text").hidden = text === this.play.original;
  }

  async runText() {
    if (!this.editor) return;
    const { original } = this.play;
    // What was set of the old text may be nothing in the new one.
    Object.assign(this.play, { text: this.editor.text, sets: new Map(), versus: null });
    this.play.original = original;
    $("checked").textContent = "";
    await this.start();
  }

  liven() {
    for (const [value, text] of SPEEDS) $("speed").append(Object.assign(document.createElement("option"), { value: String(value), textContent: text }));
    $("speed").value = "5";
    $("speed").addEventListener("change", () => { this.speedChosen = true; this.player.speed = Number($("speed").value); });
    $("play").addEventListener("click", () => {
      if (this.player.over || root.dataset.state === "refused") { this.start(); return; }
      this.player.playing = !this.player.playing;
      this.sayState();
    });
    $("restart").addEventListener("click", () => this.start());
    for (const id of ["share", "copy-link"]) $(id).addEventListener("click", ({ currentTarget }) => this.share(currentTarget));
    const save = saveButton("Save the scenario", () => this.file, () => this.saved(), "application/toml");
    save.id = "save";
    $("save").replaceWith(save);
    $("run").addEventListener("click", () => this.runText());
    $("undo-text").addEventListener("click", () => { this.editor.text = this.play.original; this.runText(); });
    $("open-gallery").addEventListener("click", async () => {
      await gallery.show($("gallery-list"), ({ name, text }) => { $("gallery").close(); history.replaceState(null, "", `#gallery=${name}`); this.begin({ text, gallery: name }); });
      $("gallery").showModal();
    });
    addEventListener("hashchange", () => { if (location.hash !== this.own && /^#.*=/.test(location.hash)) this.follow(); });
    onTheme(() => this.stage.redraw());
  }

  /** Goes where the address says. */
  async follow() {
    $("message").hidden = true;
    let ask = {};
    try {
      ask = await asked(location);
      const versus = ask.versus ? versusOf(ask.versus) : null;
      if (ask.text !== undefined) await this.begin({ ...ask, versus });
      else if (ask.gallery) {
        const { name, text } = await gallery.find(ask.gallery);
        await this.begin({ ...ask, versus, text, gallery: name });
      } else await this.begin({ ...ask, versus, text: first, gallery: null });
    } catch (error) {
      stop("This link leads nowhere", `${error.message}. Here is the first scenario instead.`);
      await this.begin({ text: first });
    }
  }
}

// When attacks are under way, where that is no matter of chance.
function attacksOf({ attacks, duration_s: duration }) {
  const there = attacks.filter((one) => one.enabled && one.start_s !== null);
  return there.map((one) => ({ what: "attack", name: one.group, from: one.start_s, to: one.stop_s ?? duration }));
}

function theEnd({ ended, spent }) {
  if (!ended) return ", the end";
  Object.assign(root.dataset, { hops: ended.hops, spent: spent.toFixed(1) });
  return `, the end; a packet took a link ${ended.hops.toLocaleString("en")} times, which took ${(spent / 1000).toFixed(2)} s here`;
}

// A discipline by its name alone is one of the first scenario's link.
function versusOf(word) {
  const at = word.indexOf("=");
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  return ["link.bottleneck.queue", queueValue(word, "100 packets", basics.queues)];
}

// Where packets pile up, most likely; the way there rather than the way back.
function slowest(queues) {
  return queues.toSorted((a, b) => (a.rate_bps ?? 0) - (b.rate_bps ?? 0) || a.backward - b.backward)[0];
}

async function begin() {
  setLooks(basics.looks);
  document.querySelector("nav ul").append(themeButton());
  try {
    const playground = new Playground(await compiled());
    await playground.follow();
  } catch (error) {
    stop("The simulator could not be started", error.message);
    console.error(error);
  }
}

if (!root.classList.contains("stopped")) {
  root.classList.add("scripted");
  // Where there is no room beside the figures, these come first.
  if (matchMedia("(max-width: 640px)").matches) $("drawer").open = false;
  begin();
}
