// Tabs that are killed at random moments, in the middle of writes and exchanges, beside a native
// replica. A commit that a page knows of is never lost, and none counts twice. Scripts/browser runs
// this; KILLS says how many tabs, SEED with which moments.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { eventually } from "../support/device.js";
import { skip } from "../support/hub-process.js";
import { random } from "../support/random.js";
import { chromium, keepPicture, rowsOf, World } from "./world.js";

const wanted = Number(process.env.KILLS ?? 50);
const seed = Number(process.env.SEED ?? 1);
const PAGES = ["tests/browser/tally.html", "examples/todo.html"];
const [TALLY, TODO] = PAGES;
const MOST_TABS = 4;

/** What was written, by what is known of it. */
class Ledger {
  /** Rows whose insert a page, or a program, knows of. @type {Map<string, string>} */
  inserted = new Map();
  /** Texts of to-dos that a page showed. @type {Set<string>} */
  shown = new Set();
  /** Rows that somebody tried to delete. @type {Set<string>} */
  deleted = new Set();
  /** Texts that were tried for each row. @type {Map<string, Set<string>>} */
  tried = new Map();
  /** Each counter, with what may have been added. */
  counters = new Map([[1, { sure: 0, perhaps: 0 }], [2, { sure: 0, perhaps: 0 }]]);
  /** The note that one user alone writes: the last text for sure, and later ones. */
  own = new Map();

  try(id, body) {
    if (!this.tried.has(id)) this.tried.set(id, new Set());
    this.tried.get(id).add(body);
  }
}

class Torture {
  #tokens = 0;
  ledger = new Ledger();
  figures = {
    kills: 0, "in a write": 0, browsers: 0, servers: 0, edits: 0, "edits cut": 0, offline: 0,
    syncs: 0,
  };

  constructor(world, next, native) {
    this.world = world;
    this.next = next;
    this.native = native;
    this.profiles = ["anna", "ben"].map((name) => world.profile(name));
    for (const { name } of this.profiles) {
      this.ledger.own.set(name, { id: randomUUID(), sure: null, perhaps: new Set() });
    }
  }

  token(what) {
    this.#tokens += 1;
    return `${what} ${seed}-${this.#tokens} é“\\`;
  }

  async step() {
    const { next, profiles } = this;
    const profile = profiles[next(2)];
    profile.sweep();
    const tabs = profile.tabs.filter((tab) => !tab.isOver);
    const kind = next(24);
    if (tabs.length < 2 || (kind < 3 && tabs.length < MOST_TABS)) {
      // A page comes from the network.
      if (profile.isOffline) await profile.offline(false);
      await profile.open(PAGES[next(2)]);
    } else if (kind < 11) await this.edit(profile, tabs[next(tabs.length)]);
    else if (kind < 15) await this.kill(profile, tabs[next(tabs.length)], next(3) === 0);
    else if (kind < 19) await this.killInWrite(profile, tabs[next(tabs.length)]);
    else if (kind < 21) {
      await profile.offline(!profile.isOffline);
      if (profile.isOffline) this.figures.offline += 1;
    } else if (kind === 21) await this.writeNative();
    else if (kind === 22) {
      this.figures.syncs += 1;
      // The proxy may cut its connection.
      await this.native.sync().catch(() => {});
    } else if (next(3) === 0) {
      this.figures.servers += 1;
      await this.world.hub.restart();
    } else if (next(2) === 0) {
      this.figures.browsers += 1;
      this.figures.kills += tabs.length;
      await profile.kill();
    }
  }

  // MARK: Writes

  /**
   * Begins a write in a page.
   *
   * @returns {{ done: Promise<any>, sure: () => void }} `sure` records that the page knows of the commit.
   */
  begin(profile, tab) {
    const { next, ledger } = this;
    this.figures.edits += 1;
    if (tab.path === TODO) {
      const title = this.token("title");
      const done = tab.evaluate(`new Promise((resolve) => {
        const form = document.querySelector("form");
        form.elements.title.value = ${JSON.stringify(title)};
        form.requestSubmit();
        const look = () => (document.querySelector("ul").textContent.includes(
          ${JSON.stringify(title)}) ? resolve() : setTimeout(look, 5));
        look();
      })`);
      return { done, sure: () => ledger.shown.add(title) };
    }
    const body = this.token("body");
    const own = ledger.own.get(profile.name);
    switch (next(5)) {
      case 0: {
        const id = randomUUID();
        ledger.try(id, body);
        const row = JSON.stringify({ id, body });
        return {
          done: tab.evaluate(`replica.table("notes").insert(${row}).then(() => {})`),
          sure: () => ledger.inserted.set(id, body),
        };
      }
      case 1: case 2: {
        const id = 1 + next(2);
        const counter = ledger.counters.get(id);
        counter.perhaps += 1;
        return {
          done: tab.evaluate(`replica.write(async (tx) => {
            const { n } = await tx.table("counters").get(${id});
            await tx.table("counters").update(${id}, { n: n + 1 });
          })`),
          sure: () => {
            counter.perhaps -= 1;
            counter.sure += 1;
          },
        };
      }
      case 3: {
        own.perhaps.add(body);
        ledger.try(own.id, body);
        const row = JSON.stringify({ id: own.id, body });
        return {
          done: tab.evaluate(`replica.write(async (tx) => {
            const notes = tx.table("notes");
            if (await notes.get(${JSON.stringify(own.id)})) {
              await notes.update(${JSON.stringify(own.id)}, { body: ${JSON.stringify(body)} });
            } else await notes.insert(${row});
          })`),
          sure: () => {
            own.sure = body;
            own.perhaps.clear();
          },
        };
      }
      default: {
        const ids = [...ledger.inserted.keys()];
        const id = ids[next(ids.length || 1)] ?? randomUUID();
        const isDelete = next(3) === 0;
        if (isDelete) ledger.deleted.add(id);
        else ledger.try(id, body);
        return {
          done: tab.evaluate(`replica.write(async (tx) => {
            const notes = tx.table("notes");
            if (!await notes.get(${JSON.stringify(id)})) return;
            ${isDelete ? `await notes.delete(${JSON.stringify(id)})`
    : `await notes.update(${JSON.stringify(id)}, { body: ${JSON.stringify(body)} })`};
          })`),
          sure: () => {},
        };
      }
    }
  }

  /** Whether the page may write: it has the counters, which come with the first sync. */
  async isReady(tab) {
    return tab.path === TODO || tab.evaluate(
      `globalThis.replica?.table("counters").get(2).then((row) => row !== null) ?? false`);
  }

  async edit(profile, tab) {
    try {
      if (!await this.isReady(tab)) return;
      const { done, sure } = this.begin(profile, tab);
      await done;
      sure();
    } catch (error) {
      if (!tab.isOver) throw error;
      this.figures["edits cut"] += 1;
    }
  }

  // MARK: Kills

  async kill(profile, tab, isClosed) {
    this.figures.kills += 1;
    if (isClosed) await tab.close();
    else await tab.crash();
    profile.sweep();
  }

  async killInWrite(profile, tab) {
    if (tab.isOver || !await this.isReady(tab).catch(() => false)) return;
    const { done, sure } = this.begin(profile, tab);
    // The write may be over before the tab is.
    const known = done.then(sure, () => { this.figures["edits cut"] += 1; });
    await new Promise((resolve) => { setTimeout(resolve, this.next(30)); });
    this.figures["in a write"] += 1;
    await this.kill(profile, tab, false);
    await known;
  }

  // MARK: Others

  async writeNative() {
    const { next, ledger, native } = this;
    const id = randomUUID();
    const body = this.token("native");
    if (next(2) === 0) {
      native.sql(`INSERT INTO notes VALUES('${id}', '${body}')`);
      ledger.try(id, body);
      ledger.inserted.set(id, body);
    } else {
      native.sql(`UPDATE counters SET n = n + 1 WHERE id = ${1 + next(2)} RETURNING id`)
        .forEach((row) => { ledger.counters.get(row.id).sure += 1; });
    }
  }

  // MARK: The end

  async end() {
    for (const profile of this.profiles) {
      profile.sweep();
      await profile.offline(false);
      for (const page of PAGES) {
        if (!profile.tabs.some(({ path, isOver }) => path === page && !isOver)) {
          await profile.open(page);
        }
      }
    }
    const { native, world } = this;
    await eventually(async () => {
      await native.sync();
      const central = await this.rows();
      const pages = [];
      for (const tab of this.profiles.flatMap(({ tabs }) => tabs)) pages.push(await this.seen(tab));
      return pages.every(({ rows, isCaughtUp }) => isCaughtUp
        && Object.entries(rows).every(([name, texts]) => texts.join() === central[name].join()))
        && rowsOf(native, "notes", "id, body").join() === central.notes.join();
    }, 300_000);
    assert.deepEqual(rowsOf(native, "counters", "id, n"), await world.central("counters", "id, n"));
    assert.match(await native.verify(), /^equal/);
  }

  async rows() {
    const { world } = this;
    return {
      todos: await world.central("todos", "id, title"),
      notes: await world.central("notes", "id, body"),
      counters: await world.central("counters", "id, n"),
    };
  }

  /** What a page has: what its store says, or what it shows. */
  async seen(tab) {
    if (tab.path === TALLY) {
      return tab.evaluate(`(async () => {
        const texts = async (name, columns) => (await replica.table(name).all())
          .map((row) => JSON.stringify(columns.map((column) => row[column]))).sort();
        return {
          isCaughtUp: replica.status.isCaughtUp,
          rows: {
            notes: await texts("notes", ["id", "body"]),
            counters: await texts("counters", ["id", "n"]),
          },
        };
      })()`);
    }
    const { titles, status } = await tab.evaluate(`({
      titles: [...document.querySelectorAll("li span")].map((one) => one.textContent).sort(),
      status: document.querySelector("#status").textContent,
    })`);
    const central = (await this.rows()).todos;
    const isEqual = titles.join() === central.map((row) => JSON.parse(row)[1]).sort().join();
    return { isCaughtUp: status === "Up to date", rows: { todos: isEqual ? central : titles } };
  }

  async check() {
    const { ledger, world } = this;
    const notes = new Map(await world.hub.central.run("SELECT id, body FROM notes"));
    for (const [id, body] of ledger.inserted) {
      assert.ok(notes.has(id) || ledger.deleted.has(id), `the note ${body} is lost`);
    }
    for (const [id, body] of notes) {
      assert.ok(ledger.tried.get(id)?.has(body), `nobody wrote ${body}`);
    }
    for (const [name, { id, sure, perhaps }] of ledger.own) {
      if (sure === null) continue;
      const body = notes.get(id);
      assert.ok(body === sure || perhaps.has(body), `${name}: ${sure} became ${body}`);
    }
    for (const [id, n] of await world.hub.central.run("SELECT id, n FROM counters")) {
      const { sure, perhaps } = ledger.counters.get(id);
      assert.ok(n >= sure && n <= sure + perhaps,
        `counter ${id} is ${n}, of ${sure} and perhaps ${perhaps} more`);
    }
    const titles = (await world.hub.central.run("SELECT title FROM todos")).flat();
    assert.equal(new Set(titles).size, titles.length, "a to-do is there twice");
    for (const title of ledger.shown) assert.ok(titles.includes(title), `${title} is lost`);
    for (const profile of this.profiles) {
      const complaints = [...profile.complaints, ...profile.tabs.flatMap((tab) => tab.complaints)];
      assert.deepEqual(complaints, []);
      for (const tab of profile.tabs.filter(({ path }) => path === TALLY)) {
        const lists = await tab.evaluate(`(async () => ({
          pending: await replica.pending(), refused: await replica.refused(),
          differences: [...await replica.verify("notes"), ...await replica.verify("counters")],
        }))()`);
        assert.deepEqual([lists.pending, lists.differences], [[], []]);
        // An update of a row that another device deleted meanwhile.
        assert.ok(lists.refused.every(({ code }) => code === "gone"));
      }
    }
  }
}

const why = skip || (chromium ? false : "CHROMIUM names no browser");

describe("tabs that are killed", { skip: why, timeout: 7_200_000 }, () => {
  let world;

  before(async () => { world = await World.start(random(seed)); });
  after(() => world?.close());

  test("lose nothing that they committed, and double nothing", async () => {
    const native = await world.native("native", ["notes", "counters"]);
    const torture = new Torture(world, random(seed), native);
    world.proxy.isCalm = false;
    while (torture.figures.kills < wanted) await torture.step();
    world.proxy.isCalm = true;
    await torture.end();
    await torture.check();
    const figures = Object.entries(torture.figures).map(([name, value]) => `${value} ${name}`);
    const { inserted, shown } = torture.ledger;
    console.log(`tabs killed, seed ${seed}: ${figures.join(", ")}, ${world.proxy.cuts} cuts, `
      + `${inserted.size + shown.size} rows and each in its place`);
    const [anna] = torture.profiles;
    await keepPicture(anna.tabs.find(({ path }) => path === TODO), "todo-after-kills", 720, 900);
  });
});
