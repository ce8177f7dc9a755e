// A run in a worker of its own: steps in short slices, so that what the page asks for in between is heard.

import { load, summaryOf } from "../simulator/tailrace.mjs";

// Of a step of 16.7 ms, what a picture leaves.
const SLICE_MS = 14;
// Rows are posted so often, each time only those that are new.
const POST_MS = 33;
const WANTED = [
  "queue_series",
  ...["time_s", "group", "throughput_bps", "goodput_bps"].map((column) => `group_series.${column}`),
  ...["time_s", "group", "flow", "cwnd_segments"].map((column) => `flow_series.${column}`),
  ...["time_s", "group", "flow", "link", "subflow", "cwnd_bytes"].map((column) => `subflow_series.${column}`),
].join(",");
// So many samples of a scenario that asks for none; they change nothing of the run.
const SAMPLES = 500;

let tailrace;
// Why there is none.
let broken = null;
let run = null;
let underway = false;

// setTimeout would wait 4 ms each time.
const channel = new MessageChannel();
const breathe = () => new Promise((resolve) => { channel.port1.onmessage = resolve; channel.port2.postMessage(0); });

function open({ id, request }) {
  run = null;
  let about = tailrace.open(request);
  if (about.interval_s === null)
    about = tailrace.open({ ...request, overrides: [...(request.overrides ?? []), ["record.interval", `${about.duration_s / SAMPLES} s`]] });
  run = { id, now: 0, until: 0, ended: false, chunk: about.duration_s / 2000, spent: 0, posted: 0 };
  return about;
}

function step() {
  const before = performance.now();
  const next = Math.min(run.until, run.now + run.chunk);
  run.ended = tailrace.step(next);
  run.now = next;
  const took = performance.now() - before;
  if (took < 1) run.chunk *= 2;
  if (took > 6) run.chunk /= 2;
}

function finish() {
  const text = tailrace.resolved();
  const rows = tailrace.drain(WANTED);
  const { fingerprint, summary } = tailrace.finish();
  postMessage({ id: run.id, rows, now: run.now, spent: run.spent, ended: { fingerprint, hops: summaryOf(summary).engine.packet_hops } });
  run.over = text;
}

function post() {
  run.posted = performance.now();
  postMessage({ id: run.id, rows: tailrace.drain(WANTED), now: run.now, spent: run.spent });
}

async function go() {
  if (underway) return;
  underway = true;
  try {
    while (run && !run.over && run.now < run.until) {
      const began = performance.now();
      const now = run;
      while (!run.ended && run.now < run.until && performance.now() - began < SLICE_MS) step();
      if (run.ended) finish();
      else if (run.now >= run.until || performance.now() - run.posted > POST_MS) post();
      now.spent += performance.now() - began;
      await breathe();
    }
  } catch (error) {
    postMessage({ id: run?.id, failed: error.message });
    run = null;
  } finally {
    underway = false;
  }
}

const answers = {
  open,
  check: ({ request }) => tailrace.check(request),
  change: ({ link, kind, value }) => { if (run && !run.over) tailrace.change(link, kind, value ?? NaN); },
  resolved: () => run?.over ?? tailrace.resolved(),
};

async function hear({ data }) {
  if (data.module) {
    tailrace = await load(data.module).catch((error) => { broken = `the simulator could not be started: ${error.message}`; });
    return;
  }
  if (data.until !== undefined) {
    if (run?.id !== data.id) return;
    run.until = data.until;
    go();
    return;
  }
  const answer = { answers: data.call };
  try {
    if (broken) throw new Error(broken);
    answer.value = answers[data.ask](data);
  } catch (error) {
    answer.error = error.message;
  }
  postMessage(answer);
}

// One after the other, also while the instance is being made.
let last = Promise.resolve();
onmessage = (message) => { last = last.then(() => hear(message)); };
