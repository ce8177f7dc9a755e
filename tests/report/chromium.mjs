// A headless Chromium over a pipe: nothing but what Node has.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe",
];

export class Chromium {
  constructor(program) {
    this.profile = mkdtempSync(join(tmpdir(), "tailrace-chromium-"));
    this.process = spawn(program, [...FLAGS, `--user-data-dir=${this.profile}`, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    this.waiting = new Map();
    this.listeners = new Map();
    this.count = 0;
    let rest = "";
    this.process.stdio[4].setEncoding("utf8");
    this.process.stdio[4].on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      for (const message of messages) this.heard(JSON.parse(message));
    });
  }

  heard(message) {
    if (message.id) {
      const { resolve, reject } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message));
      else resolve(message.result);
    } else for (const listener of this.listeners.get(message.sessionId) ?? []) listener(message);
  }

  send(method, params = {}, sessionId = undefined) {
    this.count += 1;
    const id = this.count;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async page(options = {}) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    await page.prepare(options);
    return page;
  }

  async close() {
    await this.send("Browser.close").catch(() => {});
    await new Promise((resolve) => { if (this.process.exitCode === null) this.process.once("exit", resolve); else resolve(); });
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Page {
  constructor(browser, session, target) {
    Object.assign(this, { browser, session, target });
    // Errors of scripts, and whatever was asked of a network.
    this.errors = [];
    this.asked = [];
  }

  send(method, params = {}) {
    return this.browser.send(method, params, this.session);
  }

  on(listener) {
    const there = this.browser.listeners.get(this.session) ?? [];
    this.browser.listeners.set(this.session, [...there, listener]);
  }

  async prepare({ width = 1280, height = 900, dark = false, phone = false, script = true }) {
    this.on(({ method, params }) => {
      if (method === "Runtime.exceptionThrown") this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      if (method === "Runtime.consoleAPICalled" && params.type === "error") this.errors.push(params.args.map((a) => a.description ?? a.value).join(" "));
      if (method === "Log.entryAdded" && params.entry.level === "error") this.errors.push(params.entry.text);
      if (method === "Network.requestWillBeSent") this.asked.push(params.request.url);
    });
    for (const domain of ["Page", "Runtime", "Network", "Log"]) await this.send(`${domain}.enable`);
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: phone });
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
    if (!script) await this.send("Emulation.setScriptExecutionDisabled", { value: true });
  }

  async open(url) {
    const loaded = new Promise((resolve) => this.on(({ method }) => { if (method === "Page.loadEventFired") resolve(); }));
    await this.send("Page.navigate", { url });
    await loaded;
  }

  async run(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async screenshot(whole = true) {
    const { cssContentSize: size } = await this.send("Page.getLayoutMetrics");
    const clip = whole ? { x: 0, y: 0, width: size.width, height: Math.min(size.height, 12000), scale: 1 } : undefined;
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: whole, clip });
    return Buffer.from(data, "base64");
  }

  async close() {
    await this.browser.send("Target.closeTarget", { targetId: this.target });
  }
}
