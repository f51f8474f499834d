// Random histories against a real server on SQLite, behind a proxy that cuts connections:
//
//   MOORAGE_BINARY=… node --test tests/histories.test.js
//
// HISTORIES says how many, SEED the first seed. In the end both devices and the central database
// have the same rows. Nothing is pending, no sent value is lost, and no change counted twice.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { IndexedDBStore, MemoryStore } from "../moorage.js";
import { startProxy } from "./support/cutting-proxy.js";
import { copyOf } from "./support/device.js";
import { FakeIndexedDB } from "./support/fake-indexeddb.js";
import { CONFIGURATION, SCHEMA } from "./support/edits.js";
import { World } from "./support/history.js";
import { skip, startHub } from "./support/hub-process.js";
import { random } from "./support/random.js";

const count = Number(process.env.HISTORIES ?? 200);
const firstSeed = Number(process.env.SEED ?? 1);

/** A store in memory, and a way to copy it as a backup does. */
function memory(store = new MemoryStore()) {
  return { options: { store }, copy: () => memory(copyOf(store)) };
}

/** The store of a browser, over a fake of its database. */
function indexed(fake = new FakeIndexedDB(), name = "replica") {
  const { environment } = fake;
  return {
    options: { store: new IndexedDBStore(name, environment) },
    copy() {
      const copied = new FakeIndexedDB();
      for (const [key, data] of fake.databases) copied.databases.set(key, data.copy());
      return indexed(copied, name);
    },
  };
}

describe("histories", { skip, timeout: 3_600_000 }, () => {
  let hub;
  let proxy;

  before(async () => {
    hub = await startHub(SCHEMA, CONFIGURATION);
    proxy = await startProxy(() => hub.port, random(firstSeed));
  });

  after(async () => {
    proxy?.close();
    await hub?.close();
  });

  const histories = async (title, total, first, options) => {
    const sum = {};
    for (let seed = first; seed < first + total; seed += 1) {
      const world = new World({ hub, proxy, seed, ...options });
      await world.run();
      for (const [name, value] of Object.entries(world.figures)) {
        sum[name] = (sum[name] ?? 0) + value;
      }
    }
    const figures = Object.entries(sum).map(([name, value]) => `${value} ${name}`).join(", ");
    console.log(`${title}: ${total} histories, ${figures}; ${proxy.cuts} cuts so far`);
    assert.ok(total === 0 || sum.edits > 0);
  };

  test("of two devices with lost answers", () =>
    histories("memory", Math.ceil(count / 2), firstSeed, { makeStore: memory }));

  test("of two browsers with lost answers", () =>
    histories("IndexedDB (a fake of it)", Math.ceil(count / 4), firstSeed + 100_000,
      { makeStore: () => indexed() }));

  test("of devices that are put back from a copy", () =>
    histories("restored copies", Math.floor(count / 4), firstSeed + 200_000,
      { makeStore: memory, restores: true }));
});
