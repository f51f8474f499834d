// The stores of a replica.

import assert from "node:assert/strict";
import { test } from "node:test";
import { IndexedDBStore, MemoryStore } from "../moorage.js";
import { device, eventually, turns } from "./support/device.js";
import { FakeIndexedDB } from "./support/fake-indexeddb.js";
import { bodies, newHub, running } from "./support/notes.js";

test("a transaction that fails leaves nothing, in memory and in a browser", async () => {
  for (const store of [
    new MemoryStore(), new IndexedDBStore("fails", new FakeIndexedDB().environment),
  ]) {
    await store.open();
    await store.write(async (tx) => { tx.put("meta", "", "a", { value: 1 }); });
    await assert.rejects(store.write(async (tx) => {
      tx.put("meta", "", "a", { value: 2 });
      tx.put("rows", "t", "[1]", { value: 3 });
      tx.delete("meta", "", "a");
      tx.clear("meta");
      await tx.get("meta", "", "a");
      throw new Error("no");
    }), /no/);
    await store.read(async (tx) => {
      assert.deepEqual(await tx.get("meta", "", "a"), { value: 1 });
      assert.deepEqual(await tx.list("rows", "t"), []);
      assert.equal(await tx.count("meta"), 1);
    });
    store.close();
  }
});

test("a full disk stores nothing of a write, and the next one works", async () => {
  const hub = newHub();
  const fake = new FakeIndexedDB();
  const replica = await running(hub, { store: new IndexedDBStore("full", fake.environment) });
  const data = fake.databases.get("moorage-full");
  data.failsAt = data.writes + 2;
  await assert.rejects(replica.table("notes").insert({ id: 1, body: "too much" }),
    { code: "diskFull" });
  assert.equal(await replica.table("notes").get(1), null);
  assert.deepEqual(await replica.pending(), []);
  await replica.table("notes").insert({ id: 1, body: "fits" });
  await replica.sync();
  assert.deepEqual(hub.row("notes", [1]), [1, "fits"]);
});

test("a full disk is told wherever in a transaction it is found", async () => {
  const hub = newHub();
  for (let id = 0; id < 30; id += 1) hub.set("notes", [id], [id, "x"]);
  const fake = new FakeIndexedDB();
  const replica = await running(hub, { store: new IndexedDBStore("full", fake.environment) });
  await replica.sync();
  await replica.write(async (tx) => {
    for (let id = 0; id < 20; id += 1) await tx.table("notes").update(id, { body: "mine" });
  });
  const data = fake.databases.get("moorage-full");
  const codes = new Set();
  const unhandled = [];
  const listen = (error) => unhandled.push(error);
  process.on("unhandledRejection", listen);
  for (let place = 1; place < 60; place += 1) {
    data.failsAt = data.writes + place;
    const code = await replica.sync().then(() => "done", (error) => error.code);
    codes.add(code);
    if (code === "done") break;
  }
  await turns();
  process.off("unhandledRejection", listen);
  assert.deepEqual([...codes], ["diskFull", "done"]);
  assert.deepEqual(unhandled, []);
  assert.equal(hub.rows("notes").filter(([, body]) => body === "mine").length, 20);
});

test("a connection that the browser closed is opened again", async () => {
  const hub = newHub();
  hub.heartbeat = 60_000;
  const fake = new FakeIndexedDB();
  const store = new IndexedDBStore("lost", fake.environment);
  const replica = await running(hub, { store });
  replica.start();
  await eventually(() => replica.status.phase === "live");
  await replica.table("notes").insert({ id: 1, body: "before" });
  fake.lose("moorage-lost");
  await replica.table("notes").insert({ id: 2, body: "after" });
  await eventually(() => hub.row("notes", [2]));
  await eventually(() => replica.status.isCaughtUp);
  // In the middle of a transaction.
  await assert.rejects(replica.write(async (tx) => {
    await tx.table("notes").insert({ id: 3, body: "not stored" });
    await store.read(async (transaction) => {
      fake.lose("moorage-lost");
      await transaction.get("meta", "", "state");
    });
  }), { code: "database" });
  assert.equal(await bodies(replica), "before,after");
  // Whoever closes it, closes it.
  await replica.close();
  await assert.rejects(replica.table("notes").all(), { code: "databaseClosed" });
  await assert.rejects(store.read(async () => {}), { code: "databaseClosed" });
});

test("a replica finds its rows and changes when it is opened again", async () => {
  const hub = newHub();
  const fake = new FakeIndexedDB();
  const open = () => running(hub, { store: new IndexedDBStore("again", fake.environment) });
  const first = await open();
  await first.sync();
  await first.table("notes").insert({ id: 1, body: "kept" });
  const id = await first.id();
  await first.close();
  await assert.rejects(first.table("notes").all(), { code: "databaseClosed" });
  const second = await open();
  assert.equal(await second.id(), id);
  assert.equal(await bodies(second), "kept");
  assert.equal((await second.pending()).length, 1);
  await second.sync();
  assert.deepEqual(hub.row("notes", [1]), [1, "kept"]);
});

test("a store of a newer version is left alone", async () => {
  const store = new MemoryStore();
  const first = await running(newHub(), { store });
  await first.close();
  store.collections.get("meta").part("").get("state").format = 99;
  await assert.rejects(device(newHub(), { store }), { code: "metadataNewer" });
});
