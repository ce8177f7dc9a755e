// The text of the scenario: TOML in colours, errors at their places, completion from the schema. Loaded when the first picture is there.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { Schema, completions } from "./completion.js";

// Colours are the page's own, so that light and dark follow it.
const LOOK = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--card)", fontSize: "0.86rem", border: "1px solid var(--line)", borderRadius: "6px" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-scroller": { fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace', lineHeight: "1.5", maxHeight: "34rem", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--soft)", color: "var(--quiet)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "rgba(var(--shade), 0.045)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--card)" },
  ".cm-completionInfo": { maxWidth: "24rem", padding: "6px 10px" },
  ".cm-panels": { backgroundColor: "var(--soft)", color: "var(--ink)" },
});
const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--text-string)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--text-number)" },
  { tag: [tags.propertyName, tags.variableName, tags.definition(tags.variableName)], color: "var(--text-key)" },
  { tag: [tags.heading, tags.bracket, tags.squareBracket, tags.typeName], color: "var(--ink)", fontWeight: "600" },
]);

function completing(schema) {
  return (context) => {
    const line = context.state.doc.lineAt(context.pos);
    const lines = context.state.doc.toString().split("\n");
    const found = completions(schema, lines, line.number - 1, context.pos - line.from);
    if (!found || (!context.explicit && found.from === context.pos - line.from && !/[="[{]\s*$/.test(line.text.slice(0, context.pos - line.from)))) return null;
    const options = found.options.map(([label, info, type]) => ({ label, info: info || undefined, type, boost: type === "keyword" ? 1 : 0 }));
    return { from: line.from + found.from, options, validFor: /^[\w"[.-]*$/ };
  };
}

// Spans are of bytes, places in an editor of UTF-16.
function placeOf(bytes, at) {
  return new TextDecoder().decode(bytes.subarray(0, at)).length;
}

export class Editor {
  /** `acts`: changed(text), run(). */
  constructor(place, text, schema, acts) {
    const run = () => { acts.run(); return true; };
    this.view = new EditorView({
      parent: place,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), bracketMatching(), closeBrackets(), highlightActiveLine(),
          lintGutter(), StreamLanguage.define(toml), syntaxHighlighting(COLOURS), LOOK,
          autocompletion({ override: [completing(new Schema(schema))] }),
          keymap.of([{ key: "Mod-Enter", run }, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
          EditorView.contentAttributes.of({ "aria-label": "Text of the scenario" }),
          EditorView.updateListener.of((update) => { if (update.docChanged) acts.changed(this.text); }),
        ],
      }),
    });
    this.reachable();
  }

  // What rolls can be reached by the keyboard.
  reachable() {
    this.view.scrollDOM.tabIndex = 0;
    this.view.scrollDOM.setAttribute("role", "group");
    this.view.scrollDOM.setAttribute("aria-label", "Text of the scenario, to roll");
  }

  get text() { return this.view.state.doc.toString(); }

  set text(text) {
    if (text !== this.text) this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** Marks what the simulator has against the text. */
  show(diagnostics) {
    const bytes = new TextEncoder().encode(this.text);
    const most = this.view.state.doc.length;
    const marks = diagnostics.filter(({ span }) => span).map(({ span, severity, message, label, help }) => {
      const [from, to] = span.map((at) => Math.min(most, placeOf(bytes, at)));
      return { from, to: Math.max(from, to), severity, message: [message, label, help].filter(Boolean).join("\n") };
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  goTo(line, column) {
    const place = this.view.state.doc.line(Math.min(line, this.view.state.doc.lines));
    const at = Math.min(place.to, place.from + column - 1);
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    this.view.focus();
  }
}
