// Somebody at the page: looks, waits until something is so, types, clicks.

import { strict as assert } from "node:assert";

const LONGEST_MS = 120_000;

export class Reader {
  constructor(page) {
    this.page = page;
  }

  see(expression) {
    return this.page.run(expression);
  }

  textOf(selector) {
    return this.see(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ""`);
  }

  /** What the expression comes to, once that is something. */
  async until(expression, what = expression) {
    const end = Date.now() + LONGEST_MS;
    while (Date.now() < end) {
      const found = await this.see(expression);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    return assert.fail(`this did not come: ${what}; the page says: ${await this.textOf("#clock")} ${await this.textOf("#problems")} ${await this.textOf("#message")}`);
  }

  state(...words) {
    return this.until(`${JSON.stringify(words)}.includes(document.documentElement.dataset.state)`, `state ${words}`);
  }

  click(selector) {
    return this.see(`document.querySelector(${JSON.stringify(selector)}).click()`);
  }

  /** Chooses in a select, or moves a slider, as its label names it. */
  choose(control, value, event = "change") {
    return this.see(`(() => { const e = document.querySelector('[data-control="${control}"]'); e.value = ${JSON.stringify(String(value))};
      e.dispatchEvent(new Event(${JSON.stringify(event)}, { bubbles: true })); return e.value; })()`);
  }

  move(control, step) {
    return this.choose(control, step, "input");
  }

  fastest() {
    return this.see(`(() => { const e = document.querySelector("#speed"); e.value = "Infinity"; e.dispatchEvent(new Event("change")); })()`);
  }

  /** Runs to the end, and says the fingerprint. */
  async end() {
    await this.until("document.documentElement.dataset.picture", "a first picture");
    await this.fastest();
    if ((await this.see("document.documentElement.dataset.state")) === "paused") await this.click("#play");
    await this.until(`document.documentElement.dataset.state === "over" && !document.querySelector("#fingerprint-line").hidden`, "the end");
    return this.textOf("#fingerprint");
  }

  async key(key, code, number, control = false) {
    const common = { key, code, windowsVirtualKeyCode: number, modifiers: control ? 2 : 0 };
    await this.page.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...common, commands: control && key === "a" ? ["selectAll"] : [] });
    await this.page.send("Input.dispatchKeyEvent", { type: "keyUp", ...common });
  }

  async editor() {
    await this.until(`document.documentElement.dataset.editor === "there"`, "the editor");
    await this.see(`document.querySelector(".cm-content").focus()`);
  }

  /** In place of all that is in the editor. */
  async type(text) {
    await this.editor();
    await this.key("a", "KeyA", 65, true);
    await this.page.send("Input.insertText", { text });
  }

  /** What a press on Save would put into a file. */
  async saved() {
    await this.see(`(() => { globalThis.saved = null; const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => { blob.text().then((text) => { globalThis.saved = text; }); URL.createObjectURL = make; return make.call(URL, blob); }; })()`);
    await this.click("#save");
    return this.until("globalThis.saved", "the saved file");
  }
}
