// What a link holds: a scenario, or the name of one, and what is set in it.
//
//   #queue=codel                       the first scenario with that discipline
//   #gallery=flood                     one of the gallery, or of the papers: #gallery=kochher/kochher
//   #scenario=...                      a whole one: its text, deflated, in base64url
//   &versus=PATH=VALUE  &set=PATH=VALUE  &run=2     what it is compared with, what is set, which run

// A scenario is text that somebody has written: more is none.
const LONGEST = 1 << 22;

async function through(stream, bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > LONGEST) throw new Error("the link holds more than a scenario");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function packed(text) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  let word = "";
  for (const byte of bytes) word += String.fromCharCode(byte);
  return btoa(word).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpacked(word) {
  const letters = atob(word.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder("utf-8", { fatal: true }).decode(await through(new DecompressionStream("deflate-raw"), bytes));
}

// At the first sign: values have some, too.
function pair(text) {
  const at = text.indexOf("=");
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : null;
}

/** What a location asks for; what it does not say is left out. */
export async function asked({ search, hash }) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  for (const [key, value] of new URLSearchParams(search)) if (!words.has(key)) words.append(key === "scenario" ? "gallery" : key, value);
  const found = { sets: words.getAll("set").map(pair).filter(Boolean) };
  found.queue = words.get("queue") ?? words.get("example");
  found.gallery = words.get("gallery");
  found.versus = words.get("versus");
  const run = Number(words.get("run"));
  if (Number.isInteger(run) && run > 0 && run < 2 ** 32) found.run = run;
  const word = words.get("scenario");
  if (word) found.text = await unpacked(word).catch(() => { throw new Error("the scenario in this link is damaged: part of the link may be missing"); });
  return found;
}

/** The fragment that brings somebody else to the same place. */
export async function fragment({ gallery, text, sets, versus, run }) {
  const words = new URLSearchParams();
  if (gallery) words.set("gallery", gallery);
  else if (text !== null) words.set("scenario", await packed(text));
  for (const [path, value] of sets) words.append("set", `${path}=${value}`);
  if (versus) words.set("versus", `${versus[0]}=${versus[1]}`);
  if (run > 1) words.set("run", String(run));
  return `#${words}`;
}
