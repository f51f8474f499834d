// A hub, a server for the pages, browsers with profiles of their own, and a native replica.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { startProxy } from "../support/cutting-proxy.js";
import { eventually } from "../support/device.js";
import { binary, SECRET, startHub } from "../support/hub-process.js";
import { Native } from "../support/native.js";
import { Chromium } from "./chromium.js";

/** The browser's program. */
export const chromium = process.env.CHROMIUM;
/** Where screenshots are kept; nowhere without it. */
const pictures = process.env.SCREENSHOTS;

const root = fileURLToPath(new URL("../../", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

const SCHEMA = [
  "CREATE TABLE todos(id UUID PRIMARY KEY, title TEXT NOT NULL, done BOOLEAN NOT NULL)",
  "CREATE TABLE notes(id UUID PRIMARY KEY, body TEXT NOT NULL)",
  "CREATE TABLE counters(id INTEGER PRIMARY KEY, n INTEGER NOT NULL DEFAULT 0)",
  "INSERT INTO counters(id) VALUES(1), (2)",
  `CREATE TRIGGER costly BEFORE UPDATE OF freight ON orders WHEN NEW.freight > 1000
     BEGIN SELECT RAISE(ABORT, 'freight above 1000'); END`,
];

const NORTHWIND = [
  "region", "territories", "categories", "suppliers", "products", "shippers", "customers",
  "customer_demographics", "customer_customer_demo", "employees", "employee_territories",
  "order_details",
];

const configuration = (origin) => `
cors: ${origin}
limits: { requestsPerMinute: 1000000, replicasPerUser: 1000000 }
tables:
  todos:
  notes:
  counters: { columns: { n: { rule: add } } }
  orders: { keyBlock: 20, columns: { ship_city: { rule: server } } }
${NORTHWIND.map((name) => `  ${name}:`).join("\n")}
`;

/** Serves the folder of the client, as any server for files does. */
function servePages() {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    try {
      const bytes = readFileSync(join(root, path));
      response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
      response.end(bytes);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

export class World {
  /** @param {(limit: number) => number} next Random numbers. */
  static async start(next) {
    const world = new World();
    world.folder = mkdtempSync(join(tmpdir(), "moorage-browser-"));
    world.web = await servePages();
    world.origin = `http://127.0.0.1:${world.web.address().port}`;
    world.hub = await startHub(SCHEMA, configuration(world.origin), (path) => {
      execFileSync(binary, ["sample", `sqlite:${path}`, "--size", "1"], { stdio: "ignore" });
    });
    world.proxy = await startProxy(() => world.hub.port, next);
    world.proxy.isCalm = true;
    return world;
  }

  profiles = [];

  profile(name) {
    const profile = new Profile(this, name);
    this.profiles.push(profile);
    return profile;
  }

  /** A native replica of some tables. */
  async native(name, tables) {
    const native = new Native(this.folder, name);
    await native.clone(this.proxy.url, tables);
    return native;
  }

  /** Rows of the central database, or of a native file: texts that are equal if the rows are. */
  static texts(rows) { return rows.map((row) => JSON.stringify(row)).sort(); }

  async central(table, columns) {
    return World.texts(await this.hub.central.run(`SELECT ${columns} FROM ${table}`));
  }

  async close() {
    for (const profile of this.profiles) await profile.browser?.kill();
    this.web.close();
    this.proxy.close();
    await this.hub.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A browser of one user: its tabs share a profile on disk, which outlives the browser. */
export class Profile {
  /** @type {import("./chromium.js").Tab[]} */
  tabs = [];
  isOffline = false;
  complaints = [];

  constructor(world, name) {
    this.world = world;
    this.name = name;
    this.folder = join(world.folder, name);
    mkdirSync(this.folder);
    this.browser = new Chromium(chromium, this.folder);
  }

  /** @param {string} path Of a page, from the folder of the client. */
  async open(path) {
    if (this.browser.isOver) this.browser = new Chromium(chromium, this.folder);
    const { origin, proxy } = this.world;
    const tab = await this.browser.open("about:blank");
    tab.path = path;
    this.tabs.push(tab);
    // A page loads while its user is online; a service worker could change that.
    await tab.send("Page.navigate", { url: `${origin}/${path}#hub=${proxy.url}&token=${SECRET}` });
    // While the page is on its way, the one before it may be gone in the middle of an answer.
    await eventually(async () => tab.isOver || (await tab.evaluate(
      "document.querySelector('#status')?.textContent").catch(() => "") ?? "") !== "");
    if (this.isOffline && !tab.isOver) await tab.offline(true);
    return tab;
  }

  /** Drops tabs that are gone. */
  sweep() {
    for (const tab of this.tabs.filter(({ isOver }) => isOver)) this.forget(tab);
  }

  forget(tab) {
    this.tabs.splice(this.tabs.indexOf(tab), 1);
    this.complaints.push(...tab.complaints);
    tab.close();
  }

  async offline(isOffline) {
    this.isOffline = isOffline;
    for (const tab of this.tabs) await tab.offline(isOffline).catch(() => {});
  }

  async kill() {
    for (const tab of [...this.tabs]) {
      tab.isOver = true;
      this.forget(tab);
    }
    await this.browser.kill();
  }
}

/** @param {import("./chromium.js").Tab} tab @param {string} name */
export async function keepPicture(tab, name, width = 720, height = 560) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  writeFileSync(join(pictures, `${name}.png`), await tab.screenshot(width, height));
}

/** Rows of a native replica, as `World.texts` writes them. */
export function rowsOf(native, table, columns) {
  return World.texts(
    native.sql(`SELECT ${columns} FROM ${table}`).map((row) => Object.values(row)));
}

/** Waits until the page shows a text. */
export function shows(tab, text) {
  return eventually(async () => (await tab.evaluate("document.body.innerText")).includes(text));
}
