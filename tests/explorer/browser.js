// A headless Chromium, driven over its own DevTools protocol through a pipe: no packages needed.
"use strict";

const {spawn, spawnSync} = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

/** The first browser that is installed, or null. */
function findBrowser() {
  const names = [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"];
  for (const name of names.filter(Boolean)) {
    if (spawnSync(name, ["--version"], {timeout: 20000}).status === 0) return name;
  }
  return null;
}

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--force-color-profile=srgb", "--remote-debugging-pipe",
];

class Browser {
  constructor(name) {
    this.profile = fs.mkdtempSync(path.join(os.tmpdir(), "vitro-browser-"));
    this.process = spawn(name, [...FLAGS, `--user-data-dir=${this.profile}`, "about:blank"],
                         {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
    this.waiting = new Map();
    this.number = 0;
    this.listeners = [];
    this.buffer = "";
    this.process.stdio[4].setEncoding("utf8");
    this.process.stdio[4].on("data", (data) => this.receive(data));
  }

  receive(data) {
    const messages = (this.buffer + data).split("\0");
    this.buffer = messages.pop();
    for (const message of messages.map((text) => JSON.parse(text))) {
      if (message.id === undefined) {
        this.listeners.forEach((listener) => listener(message));
        continue;
      }
      const {resolve, reject} = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message));
      else resolve(message.result);
    }
  }

  send(method, params = {}, sessionId = this.session) {
    const id = ++this.number;
    this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + "\0");
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }

  /** A page in which requests, exceptions and console messages are noted. */
  async open() {
    const {targetInfos} = await this.send("Target.getTargets", {}, undefined);
    const {targetId} = targetInfos.find(({type}) => type === "page");
    const {sessionId} = await this.send("Target.attachToTarget", {targetId, flatten: true}, undefined);
    this.session = sessionId;
    this.requests = [];
    this.complaints = [];
    this.listeners.push(({method, params}) => {
      if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
      if (method === "Runtime.exceptionThrown") {
        const {text, exception} = params.exceptionDetails;
        this.complaints.push(`${text} ${exception ? exception.description : ""}`);
      }
      if (method === "Runtime.consoleAPICalled") this.complaints.push(JSON.stringify(params.args));
      if (method === "Log.entryAdded") this.complaints.push(params.entry.text);
    });
    for (const domain of ["Page", "Runtime", "Network", "Log"]) await this.send(`${domain}.enable`);
  }

  async visit(url) {
    const loaded = new Promise((resolve) => this.listeners.push(({method}) => {
      if (method === "Page.loadEventFired") resolve();
    }));
    await this.send("Page.navigate", {url: "about:blank"});
    await this.send("Page.navigate", {url});
    await loaded;
    await this.evaluate("document.readyState === 'complete' || new Promise((done) => " +
                        "addEventListener('load', done))");
  }

  async evaluate(expression) {
    const result = await this.send("Runtime.evaluate",
                                   {expression, awaitPromise: true, returnByValue: true});
    if (result.exceptionDetails) {
      throw new Error(`${expression}: ${result.exceptionDetails.exception.description}`);
    }
    return result.result.value;
  }

  async press(key, modifiers = 0) {
    const text = key.length === 1 ? key : undefined;
    await this.send("Input.dispatchKeyEvent", {type: "keyDown", key, text, modifiers});
    await this.send("Input.dispatchKeyEvent", {type: "keyUp", key, modifiers});
  }

  /** Moves the pointer. */
  async point(x, y) {
    await this.send("Input.dispatchMouseEvent", {type: "mouseMoved", x, y});
  }

  async size(width, height) {
    await this.send("Emulation.setDeviceMetricsOverride",
                    {width, height, deviceScaleFactor: 1, mobile: false});
  }

  async media(features) {
    await this.send("Emulation.setEmulatedMedia", {
      features: Object.entries(features).map(([name, value]) => ({name, value})),
    });
  }

  async screenshot(file) {
    const {data} = await this.send("Page.captureScreenshot", {format: "png"});
    fs.writeFileSync(file, Buffer.from(data, "base64"));
  }

  async close() {
    const ended = new Promise((resolve) => this.process.on("exit", resolve));
    this.send("Browser.close", {}, undefined).catch(() => {});
    await ended;
    fs.rmSync(this.profile, {recursive: true, force: true, maxRetries: 5, retryDelay: 100});
  }
}

module.exports = {Browser, findBrowser};
