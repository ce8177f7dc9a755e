// The page's side of a worker with a run in it.

/** What the simulator has against a scenario: a list of diagnostics. */
export class Refused extends Error {
  constructor(diagnostics) {
    super(diagnostics[0]?.message ?? "the scenario is refused");
    this.diagnostics = diagnostics;
  }
}

function errorOf(text) {
  try {
    const { errors } = JSON.parse(text);
    if (Array.isArray(errors)) return new Refused(errors);
  } catch { /* It is no list of diagnostics, so it is told as it is. */ }
  return new Error(text);
}

export class Simulator {
  /** `heard` is told rows, ends and failures of the run that was opened last. */
  constructor(module, heard) {
    this.module = module;
    this.heard = heard;
    this.run = 0;
    this.calls = 0;
    this.start();
  }

  start() {
    this.waiting = new Map();
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => {
      const why = event.message ?? "the worker of this page could not be loaded";
      for (const { reject } of this.waiting.values()) reject(new Error(why));
      this.waiting.clear();
      this.heard({ failed: why });
    };
    this.worker.postMessage({ module: this.module });
  }

  hear(data) {
    if (data.answers !== undefined) {
      const { resolve, reject } = this.waiting.get(data.answers);
      this.waiting.delete(data.answers);
      if (data.error === undefined) resolve(data.value);
      else {
        if (data.error.startsWith("trap")) this.renew();
        reject(errorOf(data.error));
      }
    } else if (data.id === this.run) {
      // After a trap an instance is of no use.
      if (data.failed?.startsWith("trap")) this.renew();
      this.heard(data);
    }
  }

  renew() {
    this.close();
    this.start();
  }

  ask(ask, more = {}) {
    this.calls += 1;
    const call = this.calls;
    this.worker.postMessage({ ask, call, ...more });
    return new Promise((resolve, reject) => this.waiting.set(call, { resolve, reject }));
  }

  /** The scenario's outline. */
  open(request) {
    this.run += 1;
    return this.ask("open", { id: this.run, request });
  }

  check(request) {
    return this.ask("check", { request });
  }

  /** Goes on up to so many seconds of simulated time. */
  go(until) {
    this.worker.postMessage({ id: this.run, until });
  }

  change(link, kind, value) {
    return this.ask("change", { link, kind, value });
  }

  resolved() {
    return this.ask("resolved");
  }

  close() {
    this.worker.terminate();
    for (const { reject } of this.waiting.values()) reject(new Error("the run was given up"));
  }
}
