// One history of devices in processes of their own, a native replica, an office and a hub, from a
// seed. The seed draws what happens, but not how far everyone is when the next step happens.

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "./device.js";
import { TABLES } from "./edits.js";
import { Native } from "./native.js";
import { assertNothingLost } from "./oracle.js";
import { random } from "./random.js";

/** What Foundation on Linux prints when it ends a program whose connection was cut. */
const TRAP = "Transfer completed, but there's no response.";

const program = new URL("fire-device.js", import.meta.url);

/** A device that syncs without a pause, and ends at any moment. */
class FireDevice {
  #world;
  #child = null;
  #number = 0;
  #asked = new Map();
  #starts = 0;

  constructor(world, name) {
    this.#world = world;
    this.name = name;
  }

  async start() {
    const { folder, proxy, next } = this.#world;
    this.#starts += 1;
    // Another name for each start: a process that ended cannot go on counting its values.
    const child = fork(program, [
      join(folder, this.name), proxy.url, `${this.name}.${this.#starts}`, String(next(2 ** 31)),
    ], { serialization: "advanced", stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#child = child;
    const isOpen = new Promise((resolve) => {
      child.on("message", (message) => {
        if (message.isOpen) resolve(undefined);
        this.#received(message);
      });
      child.once("exit", (code) => {
        resolve(undefined);
        for (const { reject } of this.#asked.values()) reject(new Error("ended"));
        this.#asked.clear();
        if (code !== null) this.#world.problems.push(`${this.name} ended by itself: ${code}`);
      });
    });
    await isOpen;
  }

  #received({ id, result, error, stack, sent, replaced, problem }) {
    for (const value of sent ?? []) this.#world.sent.add(value);
    for (const value of replaced ?? []) this.#world.replaced.add(value);
    if (problem) this.#world.problems.push(`${this.name}: ${problem}`);
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (error) asked?.reject(Object.assign(new Error(`${this.name}: ${stack}`), { code: error }));
    else asked?.resolve(result);
  }

  /** @param {"write" | "sync" | "content"} does @returns {Promise<any>} */
  ask(does) {
    this.#number += 1;
    const id = this.#number;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#child.send({ id, does });
    });
  }

  async kill() {
    const child = this.#child;
    const ended = new Promise((resolve) => { child.once("exit", resolve); });
    child.kill("SIGKILL");
    await ended;
  }
}

export class FireWorld {
  problems = [];
  story = [];
  /** Every value that a device sent, and every value that somebody replaced knowingly. */
  sent = new Set();
  replaced = new Set();
  isRestored = false;
  /** What was added to each counter, for sure and perhaps. */
  counters = new Map([[1, { sure: 0, perhaps: 0 }], [2, { sure: 0, perhaps: 0 }]]);
  #tokens = 0;
  figures = {
    writes: 0, "writes cut": 0, "kills of devices": 0, "kills of servers": 0, restores: 0,
    "native syncs": 0, "native syncs cut": 0, refused: 0, conflicts: 0,
  };

  constructor({ hub, proxy, seed, restores }) {
    this.hub = hub;
    this.proxy = proxy;
    this.seed = seed;
    this.restores = restores;
    this.next = random(seed);
    this.folder = mkdtempSync(join(tmpdir(), "moorage-fire-"));
    this.devices = ["a", "b", "c"].map((name) => new FireDevice(this, `${name}${seed}`));
    this.native = new Native(this.folder, "native");
  }

  async run() {
    try {
      await this.#begin();
      const steps = 40 + this.next(40);
      for (let step = 0; step < steps; step += 1) await this.#step();
      await this.#end();
    } catch (error) {
      await this.#keep(error);
    } finally {
      for (const device of this.devices) await device.kill().catch(() => {});
      rmSync(this.folder, { recursive: true, force: true });
    }
    return this.figures;
  }

  /** Keeps what a failure needs, where FIRE_KEEP names a folder. */
  async #keep(error) {
    const to = process.env.FIRE_KEEP;
    if (to) {
      const folder = join(to, String(this.seed));
      mkdirSync(folder, { recursive: true });
      await this.hub.backUp(join(folder, "central.db"));
      cpSync(this.folder, folder, { recursive: true });
      writeFileSync(join(folder, "story"), this.story.join("\n"));
    }
    throw error;
  }

  async #begin() {
    await this.hub.central.run(
      "PRAGMA foreign_keys = OFF", ...TABLES.map((table) => `DELETE FROM ${table}`),
      "PRAGMA foreign_keys = ON", "INSERT INTO counters(id) VALUES(1), (2)");
    this.proxy.isCalm = true;
    await this.native.clone(this.proxy.url, TABLES);
    await Promise.all(this.devices.map((device) => device.start()));
    this.proxy.isCalm = false;
  }

  async #step() {
    const { next, hub, figures } = this;
    const device = this.devices[next(this.devices.length)];
    const kind = next(40);
    this.story.push(`${Date.now()} step ${kind} of ${device.name}`);
    if (kind < 20) await this.#write(device);
    else if (kind < 25) await this.#kill(device);
    else if (kind < 28) {
      // In the middle of a write.
      const written = this.#write(device);
      await this.#pause(10);
      await this.#kill(device);
      await written;
    } else if (kind < 31) await this.#pause(200);
    else if (kind < 33) this.#writeNative();
    else if (kind < 35) await this.#syncNative();
    else if (kind < 38) await this.#writeCentrally();
    else if (kind === 38 && next(3) === 0) {
      figures["kills of servers"] += 1;
      await hub.restart();
    } else if (this.restores && kind === 39) {
      const copy = join(this.folder, "backup.db");
      if (!this.hasBackup) {
        await hub.backUp(copy);
        this.hasBackup = true;
      } else if (next(2) === 0) {
        figures.restores += 1;
        this.isRestored = true;
        await hub.restore(copy);
        this.hasBackup = false;
      }
    }
  }

  /** @param {number} limit In milliseconds. */
  #pause(limit) {
    return new Promise((resolve) => { setTimeout(resolve, this.next(limit)); });
  }

  async #write(device) {
    this.figures.writes += 1;
    try {
      for (const [id, delta] of await device.ask("write")) this.counters.get(id).sure += delta;
    } catch (error) {
      assert.equal(error.message, "ended");
      this.figures["writes cut"] += 1;
      // An edit adds 9 at most, and a write has 4.
      for (const counter of this.counters.values()) counter.perhaps += 36;
    }
  }

  async #kill(device) {
    this.figures["kills of devices"] += 1;
    await device.kill();
    await device.start();
  }

  // MARK: Others

  #writeNative() {
    const { next, native } = this;
    const token = (what) => {
      this.#tokens += 1;
      return `${what}-native-${this.seed}-${this.#tokens}`;
    };
    switch (next(4)) {
      case 0: {
        const [id, name] = [token("id"), token("name")];
        native.sql(`INSERT INTO customers(id, name) VALUES('${id}', '${name}')`);
        this.sent.add(id).add(name);
        return;
      }
      case 1: {
        const body = token("body");
        native.sql(`INSERT INTO notes VALUES('${randomUUID()}', '${body}', NULL)`);
        this.sent.add(body);
        return;
      }
      case 2: {
        const [row] = native.sql("SELECT id, city FROM customers ORDER BY id DESC LIMIT 1");
        if (!row) return;
        const city = token("change");
        native.sql(
          `UPDATE customers SET city = '${city}' WHERE id = '${row.id.replaceAll("'", "''")}'`);
        this.replaced.add(row.city);
        this.sent.add(city);
        return;
      }
      default: {
        const id = 1 + next(2);
        const changed = native.sql(`UPDATE counters SET n = n + 5 WHERE id = ${id} RETURNING id`);
        if (changed.length > 0) this.counters.get(id).sure += 5;
      }
    }
  }

  async #syncNative() {
    this.figures["native syncs"] += 1;
    await this.native.sync().catch(({ code, signal, stderr }) => {
      // The command says: try again. Or Foundation on Linux ends it (docs/limitations.md, Platform).
      const isKnown = code === 75 || stderr.includes(TRAP);
      if (!isKnown) this.problems.push(`moorage sync ended with ${code ?? signal}: ${stderr}`);
      this.figures["native syncs cut"] += 1;
    });
  }

  async #writeCentrally() {
    const { central } = this.hub;
    if (this.next(2) === 0) {
      await central.run("UPDATE counters SET n = n + 100 WHERE id = 1");
      this.counters.get(1).sure += 100;
      return;
    }
    const cities = await central.run("SELECT city FROM customers WHERE rowid % 2 = 0");
    for (const [city] of cities) this.replaced.add(city);
    await central.run(
      `UPDATE customers SET city = 'central ${this.next(1000)}' WHERE rowid % 2 = 0`);
  }

  // MARK: The end

  async #end() {
    const place = `seed ${this.seed}`;
    this.proxy.isCalm = true;
    // Devices bring to the others what they have.
    for (let round = 0; round < 6; round += 1) {
      await this.native.sync();
      for (const device of this.devices) {
        await eventually(() => device.ask("sync").catch(() => false));
      }
    }
    assert.deepEqual(this.problems, [], place);
    let devices;
    await eventually(async () => {
      devices = await Promise.all(this.devices.map(async (device) => (
        { name: device.name, content: await device.ask("content") })));
      return devices.every(({ content }) => content.isCaughtUp && content.pending.length === 0);
    });
    const { hub, sent, replaced } = this;
    const lists = this.native.lists();
    const known = [...sent].filter((value) => lists.includes(JSON.stringify(value).slice(1, -1)));
    await assertNothingLost({ place, hub, devices, sent, replaced, lists: known });
    assert.match(await this.native.verify(), /^equal/, place);
    // A change of a row that somebody deleted is refused. The list names it, and nothing else.
    for (const line of (await this.native.run("pending", this.native.file)).trim().split("\n")) {
      assert.match(line, /^(Nothing is pending|refused )/, place);
    }
    for (const { content } of devices) {
      this.figures.refused += content.refused;
      this.figures.conflicts += content.conflicts;
      for (const [id, delta] of content.notAdded) {
        this.counters.get(id).sure -= delta;
        this.counters.get(id).perhaps += delta;
      }
    }
    if (this.isRestored) return;
    for (const [id, { sure, perhaps }] of this.counters) {
      const [[n]] = await hub.central.run(`SELECT n FROM counters WHERE id = ${id}`);
      assert.ok(n >= sure && n <= sure + perhaps,
        `${place}: counter ${id} is ${n}, of ${sure} and perhaps ${perhaps} more`);
    }
  }
}
