// One random history of two devices, another program and a hub, from a seed.

import assert from "node:assert/strict";
import { openReplica } from "../../moorage.js";
import { Editor, LISTED, TABLES } from "./edits.js";
import { SECRET } from "./hub-process.js";
import { assertNothingLost, content } from "./oracle.js";
import { random } from "./random.js";

/** A device with its store, which may be closed, opened again and put back from a copy. */
class Device {
  constructor(world, name, makeStore) {
    this.world = world;
    this.name = name;
    this.makeStore = makeStore;
    this.storage = makeStore();
    this.backup = null;
  }

  async open() {
    const { world } = this;
    this.replica = await openReplica({
      name: this.name,
      url: world.proxy.url,
      token: () => SECRET,
      tables: LISTED,
      device: { name: this.name, appVersion: "1.0" },
      ...this.storage.options,
      environment: {
        ...this.storage.options.environment,
        fetch: (url, init) => {
          world.editor.observe(init.body);
          return globalThis.fetch(url, init);
        },
        now: () => Date.now() + this.clock,
        limits: {
          batch: { rows: 4, bytes: 4_000_000 }, page: { rows: 7, bytes: 20_000, pages: 2 },
        },
      },
    });
  }

  clock = 0;

  async reopen() {
    await this.replica.close();
    await this.open();
  }

  save() { this.backup = this.storage.copy(); }

  async restore() {
    await this.replica.close();
    this.storage = this.backup;
    this.backup = this.storage.copy();
    await this.open();
  }
}

export class World {
  constructor({ hub, proxy, seed, makeStore, restores }) {
    this.hub = hub;
    this.proxy = proxy;
    this.seed = seed;
    this.next = random(seed);
    this.restores = restores;
    this.editor = new Editor(this.next, String(seed));
    /** What was added to each counter. */
    this.counted = new Map([[1, 0], [2, 0]]);
    this.devices = ["a", "b"].map((name) => new Device(this, `${name}${seed}`, makeStore));
    this.figures = { syncs: 0, cut: 0, refused: 0, conflicts: 0, restores: 0, kills: 0 };
  }

  async run() {
    const { next } = this;
    await this.hub.central.run(
      ...[...TABLES].reverse().map((table) => `DELETE FROM ${table}`),
      "INSERT INTO counters(id) VALUES(1), (2)");
    this.proxy.isCalm = false;
    for (const device of this.devices) {
      device.clock = next(3) === 0 ? next(20_000_000) - 10_000_000 : 0;
      await device.open();
    }
    const steps = 15 + next(20);
    for (let step = 0; step < steps; step += 1) {
      const device = this.devices[next(2)];
      const kind = next(20);
      if (kind < 10) this.count(await this.editor.write(device.replica));
      else if (kind < 15) await this.sync(device);
      else if (kind < 16) await device.reopen();
      else if (kind < 18) await this.writeCentrally();
      else if (kind === 18 && next(8) === 0) {
        this.figures.kills += 1;
        await this.hub.restart();
      } else if (this.restores && kind === 18) device.save();
      else if (this.restores && device.backup) {
        this.figures.restores += 1;
        await device.restore();
      }
    }
    await this.end();
    await this.check();
    for (const { replica } of this.devices) await replica.close();
  }

  async sync(device) {
    this.figures.syncs += 1;
    try {
      await device.replica.sync();
    } catch (error) {
      // A cut may look like another server, where it left a part of an answer.
      assert.ok(["unreachable", "notOurServer", "busy", "malformed"].includes(error.code),
        `seed ${this.seed}: ${error.stack}`);
      assert.notEqual(error.code, "malformed", `seed ${this.seed}: ${error.message}`);
      this.figures.cut += 1;
    }
  }

  count(added) {
    for (const [id, delta] of added) this.counted.set(id, this.counted.get(id) + delta);
  }

  async writeCentrally() {
    const { next } = this;
    const statements = [
      `UPDATE customers SET city = 'central-${next(1000)}' WHERE rowid % 3 = ${next(3)}`,
      `INSERT OR IGNORE INTO customers(id, name) VALUES('c${next(4)}', 'central')`,
      `UPDATE counters SET n = n + 100 WHERE id = 1`,
      `UPDATE orders SET weight = 1.25 WHERE id % 2 = 0`,
    ];
    const chosen = next(statements.length);
    if (chosen === 2) this.count([[1, 100]]);
    if (chosen === 0) {
      const cities = await this.hub.central.run("SELECT city FROM customers");
      for (const [city] of cities) this.editor.replaced.add(city);
    }
    await this.hub.central.run(statements[chosen]);
  }

  // MARK: The end

  async end() {
    this.proxy.isCalm = true;
    for (let round = 0; round < 8; round += 1) {
      for (const { replica } of this.devices) await replica.sync();
    }
  }

  async check() {
    const place = `seed ${this.seed}`;
    const devices = [];
    for (const { name, replica } of this.devices) {
      devices.push({ name, content: await content(replica) });
    }
    const { sent, replaced, edits } = this.editor;
    await assertNothingLost({ place, hub: this.hub, devices, sent, replaced });
    this.figures.edits = edits;
    for (const { content: { refused, conflicts, notAdded } } of devices) {
      this.figures.refused += refused;
      this.figures.conflicts += conflicts;
      this.count(notAdded.map(([id, delta]) => [id, -delta]));
    }
    if (this.restores) return;
    for (const [id, n] of this.counted) {
      const [[found]] = await this.hub.central.run(`SELECT n FROM counters WHERE id = ${id}`);
      assert.equal(found, n, `${place}: each change counts once`);
    }
  }
}
