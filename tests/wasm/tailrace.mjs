// The simulator as WebAssembly, for Node and for pages: texts in, JSON out.

export async function load(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const e = instance.exports;
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
    /** request: { text, overrides, run }; gives { warnings, links, duration_s }. */
    open: (request) => (write(JSON.stringify(request)), JSON.parse(say(e.tailrace_open))),
    /** Whether the run has ended. */
    step: (untilSeconds) => call(() => e.tailrace_step(untilSeconds)) === 1,
    snapshot: () => JSON.parse(say(e.tailrace_snapshot)),
    soFar: () => JSON.parse(say(e.tailrace_so_far)),
    drain: () => JSON.parse(say(e.tailrace_drain)),
    change: (link, kind, value = NaN) => (write(kind), call(() => e.tailrace_change(link, value))),
    resolved: () => say(e.tailrace_resolved),
    finish: () => JSON.parse(say(e.tailrace_finish)),
  };
}
