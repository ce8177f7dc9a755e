// What may stand at a place of a scenario, by the schema.

const HEADER = /^\s*\[\[?\s*([\w.-]+)\s*\]\]?\s*(#.*)?$/;
const KEY = /^\s*([\w.-]+)\s*=/;

/** Reads a schema; `$ref` leads into its definitions. */
export class Schema {
  constructor(schema) {
    this.schema = schema;
  }

  followed(node) {
    let found = node;
    while (found?.$ref) found = { ...this.schema.$defs[found.$ref.replace("#/$defs/", "")], ...(found.description ? { description: found.description } : {}) };
    return found ?? {};
  }

  /** All forms that a value may have. */
  forms(node) {
    const found = this.followed(node);
    return [found, ...(found.anyOf ?? found.oneOf ?? []).flatMap((one) => this.forms(one))];
  }

  /** Keys of a table with these keys and values already, each with its description. */
  keys(node, kind) {
    const tables = this.forms(node).filter((form) => form.properties);
    const fitting = tables.filter((form) => !kind || form.properties.kind?.const === undefined || form.properties.kind.const === kind);
    return new Map((fitting.length ? fitting : tables).flatMap((form) => Object.entries(form.properties)));
  }

  /** The table under a header, `link` or `record`. */
  table(name) {
    let node = this.schema;
    for (const word of name.split(".")) {
      node = this.keys(node).get(word) ?? {};
      const list = this.forms(node).find((form) => form.items);
      if (list) node = list.items;
    }
    return node;
  }

  /** Words that a value may be. */
  words(node) {
    const found = new Map();
    for (const form of this.forms(node)) {
      for (const word of form.enum ?? []) found.set(JSON.stringify(word), form.description ?? "");
      if (form.const !== undefined) found.set(JSON.stringify(form.const), form.description ?? "");
      if (form.type === "boolean") for (const word of ["true", "false"]) found.set(word, "");
      const kind = form.properties?.kind?.const;
      if (kind !== undefined && found.get(JSON.stringify(kind)) !== undefined) found.set(JSON.stringify(kind), form.description ?? "");
    }
    return found;
  }

  headers() {
    return Object.entries(this.schema.properties).flatMap(([name, node]) => {
      const form = this.forms(node);
      if (form.some((one) => one.items && this.keys(one.items).size)) return [[`[[${name}]]`, node.description]];
      return form.some((one) => one.properties || one.additionalProperties?.anyOf) ? [[`[${name}]`, node.description]] : [];
    });
  }
}

// Within `{ kind = "red", li`: the keys that lead to the table around the cursor, innermost last.
function insides(line) {
  const stack = [];
  let [quoted, key] = [false, ""];
  for (let i = 0; i < line.length; i += 1) {
    const letter = line[i];
    if (letter === '"') quoted = !quoted;
    if (quoted) continue;
    if (letter === "#") break;
    if (letter === "=") key = /([\w-]+)\s*$/.exec(line.slice(0, i))?.[1] ?? "";
    if (letter === "{") stack.push({ key, from: i + 1 });
    if (letter === "}") stack.pop();
  }
  return { stack, quoted };
}

const kindIn = (text) => /\bkind\s*=\s*"([^"]*)"/.exec(text)?.[1];

function sectionAt(lines, number) {
  for (let i = number; i >= 0; i -= 1) {
    const found = HEADER.exec(lines[i]);
    if (found) return { name: found[1], from: i };
  }
  return { name: "", from: -1 };
}

/** What may stand at the end of `lines[number]` up to `column`: { from, options: [[text, says, kind]] }, or null. */
export function completions(schema, lines, number, column) {
  const before = lines[number].slice(0, column);
  if (/^\s*\[+[\w.]*$/.test(before))
    return { from: before.search(/\[/), options: schema.headers().map(([text, says]) => [text, says, "class"]) };
  const section = sectionAt(lines, number - 1);
  const end = lines.findIndex((line, i) => i > section.from && HEADER.test(line));
  const body = lines.slice(section.from + 1, end < 0 ? undefined : end);
  let table = section.name ? schema.table(section.name) : schema.schema;
  let kind = body.map((line) => /^\s*kind\s*=\s*"([^"]*)"/.exec(line)?.[1]).find(Boolean);
  let there = body.map((line) => KEY.exec(line)?.[1]);
  const { stack } = insides(before);
  for (const { key, from } of stack) {
    table = schema.keys(table, kind).get(key) ?? {};
    const inside = lines[number].slice(from);
    kind = kindIn(inside);
    there = [...inside.matchAll(/([\w-]+)\s*=/g)].map(([, word]) => word);
  }
  const inner = before.slice(stack.at(-1)?.from ?? 0);
  const value = /([\w-]+)\s*=\s*("?[\w /.-]*)$/.exec(inner);
  if (value) {
    const words = schema.words(schema.keys(table, kind).get(value[1]) ?? {});
    if (!words.size) return null;
    return { from: column - value[2].length, options: [...words].map(([text, says]) => [text, says, "enum"]) };
  }
  const key = stack.length ? /(?:^|[,{])\s*([\w-]*)$/.exec(inner) : /^\s*([\w-]*)$/.exec(before);
  if (!key) return null;
  const options = [...schema.keys(table, kind)].filter(([name]) => name === key[1] || !there.includes(name));
  const wanting = new Set(schema.forms(table).flatMap((form) => form.required ?? []));
  const texts = options.map(([name, node]) => [name, schema.followed(node).description ?? "", wanting.has(name) ? "keyword" : "property"]);
  return texts.length ? { from: column - key[1].length, options: texts } : null;
}
