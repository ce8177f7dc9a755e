// The simulator as WebAssembly, for Node and for pages: texts in, JSON out.

// Seeds have 64 bits, JavaScript's numbers 53: what JSON.parse would round stays text.
const LONG = /("(?:seed|fingerprint)":)(\d+)/g;

/** What a summary says, its seeds as texts. */
export function summaryOf(text) {
  return JSON.parse(text.replace(LONG, '$1"$2"'));
}

/** An instance; `code` is the module's bytes, or the module. */
export async function load(code) {
  const made = await WebAssembly.instantiate(code, {});
  const e = (made.instance ?? made).exports;
  const text = () =>
    new TextDecoder().decode(new Uint8Array(e.memory.buffer, e.tailrace_text() >>> 0, e.tailrace_text_len()));
  const write = (words) => {
    const bytes = new TextEncoder().encode(words);
    const room = e.tailrace_room(bytes.length) >>> 0;
    new Uint8Array(e.memory.buffer, room, bytes.length).set(bytes);
  };
  const call = (f) => {
    let code;
    try {
      code = f();
    } catch (trap) {
      throw new Error(`trap: ${text()}`, { cause: trap });
    }
    if (code === 2) throw new Error(text());
    return code;
  };
  const say = (f) => (call(f), text());
  e.tailrace_init();
  return {
    /** request: { text, overrides, files, run }; gives the scenario's outline with { warnings, memory_bytes }. */
    open: (request) => (write(JSON.stringify(request)), JSON.parse(say(e.tailrace_open))),
    /** The same without opening anything; gives { warnings }. */
    check: (request) => (write(JSON.stringify(request)), JSON.parse(say(e.tailrace_check))),
    /** Whether the run has ended. */
    step: (untilSeconds) => call(() => e.tailrace_step(untilSeconds)) === 1,
    snapshot: () => JSON.parse(say(e.tailrace_snapshot)),
    soFar: () => summaryOf(say(e.tailrace_so_far)),
    /** All tables, or those that are named, "queue_series,flow_series.time_s". */
    drain: (wanted = "") => (write(wanted), JSON.parse(say(e.tailrace_drain))),
    change: (link, kind, value = NaN) => (write(kind), call(() => e.tailrace_change(link, value))),
    resolved: () => say(e.tailrace_resolved),
    finish: () => JSON.parse(say(e.tailrace_finish)),
  };
}
