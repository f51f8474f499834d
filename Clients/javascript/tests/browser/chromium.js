// A Chromium without a window, driven through its pipe (the DevTools protocol). It needs no package.

import { spawn } from "node:child_process";

/** How long a command of the browser may take, in milliseconds. One that reaches it hangs. */
const LIMIT = 120_000;

/** One browser with a profile on disk. */
export class Chromium {
  #process;
  #number = 0;
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  #text = "";
  /** @type {Map<string, Tab>} By session. */
  #tabs = new Map();
  isOver = false;

  /** @param {string} program @param {string} profile A folder. */
  constructor(program, profile) {
    this.#process = spawn(program, [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      "--no-first-run", "--no-default-browser-check", "--disable-component-update",
      "--disable-background-networking", "--disable-sync", "--remote-debugging-pipe",
      `--user-data-dir=${profile}`, "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true });
    const [, , , input, output] = this.#process.stdio;
    this.#input = input;
    input.on("error", () => {});
    output.on("error", () => {});
    output.setEncoding("utf8");
    output.on("data", (text) => this.#received(text));
    this.#ended = new Promise((resolve) => { this.#process.once("exit", resolve); });
    this.#ended.then(() => this.#end());
  }

  #input;
  #ended;

  #end() {
    this.isOver = true;
    for (const tab of this.#tabs.values()) tab.isOver = true;
    for (const { reject } of this.#waiting.values()) reject(new Error("the browser is gone"));
    this.#waiting.clear();
  }

  #received(text) {
    this.#text += text;
    for (let end; (end = this.#text.indexOf("\0")) >= 0;) {
      const message = JSON.parse(this.#text.slice(0, end));
      this.#text = this.#text.slice(end + 1);
      if (message.id === undefined) this.#happened(message);
      const asked = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error) asked?.reject(new Error(message.error.message));
      else asked?.resolve(message.result);
    }
  }

  #happened({ method, params, sessionId }) {
    const tab = this.#tabs.get(sessionId ?? params?.sessionId);
    if (!tab) return;
    if (["Target.detachedFromTarget", "Inspector.targetCrashed"].includes(method)) tab.end();
    tab.happened(method, params);
  }

  /**
   * @param {string} method
   * @param {object} [params]
   * @param {string} [sessionId]
   * @returns {Promise<any>}
   */
  send(method, params = {}, sessionId) {
    if (this.isOver) return Promise.reject(new Error("the browser is gone"));
    this.#number += 1;
    const id = this.#number;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`${method} hangs`));
      }, LIMIT);
      const end = (done) => (result) => {
        clearTimeout(timer);
        done(result);
      };
      this.#waiting.set(id, { resolve: end(resolve), reject: end(reject), sessionId });
      this.#input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /** Answers never come for a tab that is gone. @param {string} sessionId */
  forget(sessionId) {
    this.#tabs.delete(sessionId);
    for (const [id, { reject, sessionId: of }] of this.#waiting) {
      if (of !== sessionId) continue;
      this.#waiting.delete(id);
      reject(new Error("the tab is gone"));
    }
  }

  /** @param {string} url @returns {Promise<Tab>} */
  async open(url) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(this, targetId, sessionId);
    this.#tabs.set(sessionId, tab);
    await tab.begin(url);
    return tab;
  }

  /** Ends all its processes at once, as a loss of power does for them. */
  async kill() {
    try {
      process.kill(-this.#process.pid, "SIGKILL");
    } catch {
      // It is gone already.
    }
    await this.#ended;
  }
}

export class Tab {
  /** What the page wrote to its console, and what it did not catch. @type {string[]} */
  complaints = [];
  isOver = false;
  /** What the next question of the page is answered with; `null` declines. */
  answer = "";

  /** @param {Chromium} browser @param {string} target @param {string} session */
  constructor(browser, target, session) {
    this.browser = browser;
    this.target = target;
    this.session = session;
  }

  send(method, params) { return this.browser.send(method, params, this.session); }

  /** @param {string} url */
  async begin(url) {
    for (const domain of ["Page", "Runtime", "Network", "Inspector", "Log"]) {
      await this.send(`${domain}.enable`);
    }
    await this.send("Page.navigate", { url });
  }

  happened(method, params) {
    switch (method) {
      case "Runtime.exceptionThrown": {
        const { text, exception } = params.exceptionDetails;
        this.complaints.push(`${text} ${exception?.description ?? ""}`);
        break;
      }
      case "Runtime.consoleAPICalled":
        if (params.type !== "error") break;
        this.complaints.push(params.args.map(({ value, description }) =>
          value ?? description).join(" "));
        break;
      case "Page.javascriptDialogOpening":
        this.dialog = params.message;
        this.send("Page.handleJavaScriptDialog",
          { accept: this.answer !== null, promptText: this.answer ?? "" }).catch(() => {});
        break;
      default:
    }
  }

  end() {
    this.isOver = true;
    this.browser.forget(this.session);
  }

  /**
   * Evaluates an expression in the page, and waits for what it promises.
   *
   * @param {string} expression
   */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression, awaitPromise: true, returnByValue: true, userGesture: true,
    });
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  }

  /** @param {boolean} isOffline */
  offline(isOffline) {
    return this.send("Network.emulateNetworkConditions", {
      offline: isOffline, latency: 0, downloadThroughput: -1, uploadThroughput: -1,
    });
  }

  /** @param {number} width @param {number} height @returns {Promise<Buffer>} A PNG. */
  async screenshot(width, height) {
    // A tab in the back is not drawn.
    await this.send("Page.bringToFront");
    await this.send("Emulation.setDeviceMetricsOverride", {
      width, height, deviceScaleFactor: 1, mobile: false,
    });
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }

  /** Ends the process of the page in the middle of what it does. */
  async crash() {
    this.send("Page.crash").catch(() => {});
    await this.close();
  }

  /** Closes the tab, as its user does. */
  async close() {
    await this.browser.send("Target.closeTarget", { targetId: this.target }).catch(() => {});
    this.end();
  }
}
