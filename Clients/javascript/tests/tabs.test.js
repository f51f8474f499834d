// Several tabs of a browser with one store.

import assert from "node:assert/strict";
import { test } from "node:test";
import { IndexedDBStore } from "../moorage.js";
import { eventually } from "./support/device.js";
import { FakeIndexedDB } from "./support/fake-indexeddb.js";
import { FakeChannels, FakeLocks } from "./support/fake-tabs.js";
import { bodies, exchanges, FAST, newHub, running } from "./support/notes.js";
import { ScriptedHub, table } from "./support/scripted-hub.js";

/** Tabs of one browser: one database, one set of locks or none, and channels between them. */
function browser({ hasLocks }) {
  const fake = new FakeIndexedDB();
  const channels = new FakeChannels();
  const locks = hasLocks ? new FakeLocks() : undefined;
  return (hub, more = {}) => running(hub, {
    ...more, store: new IndexedDBStore("shared", fake.environment),
    environment: { locks, BroadcastChannel: channels.Channel, ...more.environment },
  });
}

for (const hasLocks of [true, false]) {
  const means = hasLocks ? "locks" : "a lease";

  test(`with ${means}, one tab leads and all see the same`, async () => {
    const hub = newHub();
    hub.heartbeat = 60_000;
    const open = browser({ hasLocks });
    const [one, two, three] = [await open(hub), await open(hub), await open(hub)];
    for (const tab of [one, two, three]) tab.start();
    await eventually(() => [one, two, three].every(({ status }) => status.phase === "live"));
    assert.equal([one, two, three].filter(({ status }) => status.isLeader).length, 1);
    assert.equal(hub.streams.size, 1);
    const follower = [one, two, three].find(({ status }) => !status.isLeader);
    const seen = [];
    one.observe(["notes"], async () => { seen.push(await bodies(one)); });
    await follower.table("notes").insert({ id: 1, body: "of a follower" });
    await eventually(() => hub.row("notes", [1]));
    await eventually(() => seen.at(-1) === "of a follower");
    hub.put("notes", [2], [2, "of the hub"]);
    for (const tab of [one, two, three]) {
      await eventually(async () => await bodies(tab) === "of a follower,of the hub");
    }
    assert.equal(new Set(exchanges(hub).map(({ content }) => content.replica)).size, 1);
    assert.equal((await follower.sync()).isCaughtUp, true);
    assert.equal(hub.most, 1);
    assert.equal(hub.applied.length, 1);
  });

  test(`with ${means}, another tab goes on when the leader is gone`, async () => {
    const hub = newHub();
    hub.heartbeat = 60_000;
    const open = browser({ hasLocks });
    const [one, two] = [await open(hub), await open(hub)];
    one.start();
    await eventually(() => one.status.phase === "live");
    two.start();
    await two.table("notes").insert({ id: 1, body: "before" });
    await eventually(() => hub.row("notes", [1]));
    await one.close();
    await eventually(() => two.status.isLeader && two.status.phase === "live");
    await two.table("notes").insert({ id: 2, body: "after" });
    await eventually(() => hub.row("notes", [2]));
    assert.equal(hub.applied.length, 2);
    assert.equal(hub.most, 1);
  });
}

test("tabs that only sync do so one after the other, and send nothing twice", async () => {
  const hub = newHub();
  const open = browser({ hasLocks: true });
  const tabs = [await open(hub), await open(hub), await open(hub)];
  for (const [index, tab] of tabs.entries()) {
    await tab.table("notes").insert({ id: index, body: `of ${index}` });
  }
  await Promise.all(tabs.map((tab) => tab.sync()));
  assert.equal(hub.most, 1);
  assert.equal(hub.applied.length, 3);
  assert.equal(hub.rows("notes").length, 3);
});

test("a commit whose tab ends before it tells the others is sent, and all see it", async () => {
  const hub = newHub();
  hub.heartbeat = 60_000;
  const open = browser({ hasLocks: true });
  // Neither the interval nor the stream's renewal brings an exchange.
  const pace = { ...FAST, pullInterval: 3_600_000 };
  const [leader, other] = [
    await open(hub, { environment: { pace } }), await open(hub, { environment: { pace } }),
  ];
  leader.start();
  other.start();
  await eventually(() => leader.status.phase === "live" && other.status.phase === "live");
  class Mute { postMessage() {} close() {} }
  const ending = await open(hub, { environment: { pace, BroadcastChannel: Mute } });
  const seen = [];
  other.observe(["notes"], async () => { seen.push(await bodies(other)); });
  await ending.table("notes").insert({ id: 1, body: "the last word" });
  await eventually(() => hub.row("notes", [1]));
  await eventually(() => seen.at(-1) === "the last word");
  await eventually(() => other.status.isCaughtUp && other.status.pending === 0);
});

test("writes of two tabs on one row do not lose each other", async () => {
  const hub = newHub();
  const open = browser({ hasLocks: true });
  const [one, two] = [await open(hub), await open(hub)];
  await one.table("notes").insert({ id: 1, body: "" });
  const append = (tab, letter) => tab.write(async (tx) => {
    const { body } = await tx.table("notes").get(1);
    await tx.table("notes").update(1, { body: body + letter });
  });
  await Promise.all([
    append(one, "a"), append(two, "b"), append(one, "c"), append(two, "d"), append(one, "e"),
  ]);
  assert.equal([...(await one.table("notes").get(1)).body].sort().join(""), "abcde");
});

test("what other tabs write elsewhere does not overtake a write", async () => {
  const hub = newHub();
  hub.tables = [table("notes", { id: "integer!", body: "text" }),
    table("lines", { id: "integer!", body: "text" }, { keyBlock: 100 })];
  const open = browser({ hasLocks: true });
  const [one, two] = [await open(hub), await open(hub)];
  await one.sync();
  await one.table("notes").insert({ id: 1, body: "read" });
  let [runs, id] = [0, 10];
  const other = () => {
    id += 1;
    return two.table("notes").insert({ id, body: "elsewhere" });
  };
  await one.write(async (tx) => {
    runs += 1;
    await other();
    const { body } = await tx.table("notes").get(1);
    const line = await tx.table("lines").insert({ body });
    assert.equal(line.id, 1_000);
    assert.equal((await tx.table("lines").all()).length, 1);
    await other();
  });
  assert.equal(runs, 1);
  // What it has read counts: a row, that a row is missing, a whole table, and handed-out keys.
  for (const [read, change] of [
    [(tx) => tx.table("notes").get(1), () => two.table("notes").update(1, { body: `${runs}` })],
    [(tx) => tx.table("notes").get(99), () => two.table("notes").insert({ id: 99, body: "" })],
    [(tx) => tx.table("notes").all(), other],
    [(tx) => tx.nextKey("lines"), () => two.write((tx) => tx.nextKey("lines"))],
  ]) {
    runs = 0;
    await one.write(async (tx) => {
      runs += 1;
      await read(tx);
      if (runs === 1) await change();
      await tx.table("lines").insert({ body: "x" });
    });
    assert.equal(runs, 2);
  }
  const keys = (await one.table("lines").all()).map(({ id: key }) => key);
  assert.equal(new Set(keys).size, 5);
  await assert.rejects(one.write(async (tx) => {
    await tx.table("notes").all();
    await other();
    await tx.table("lines").insert({ body: "never" });
  }), { code: "busy" });
});

test("a row that another tab edits meanwhile is not overwritten", async () => {
  const open = browser({ hasLocks: true });
  const hub = newHub();
  const [one, two] = [await open(hub), await open(hub)];
  await one.table("notes").insert({ id: 1, body: "a" });
  await one.sync();
  let runs = 0;
  await one.write(async (tx) => {
    runs += 1;
    const { body } = await tx.table("notes").get(1);
    await tx.table("notes").update(1, { body: `${body}b` });
    // The row is the same again, but not its change.
    if (runs > 1) return;
    await two.table("notes").update(1, { body: "x" });
    await two.table("notes").update(1, { body: "a" });
  });
  assert.equal(runs, 2);
  await one.sync();
  assert.deepEqual(hub.row("notes", [1]), [1, "ab"]);
});

test("tabs may name the same tables in another order", async () => {
  const hub = new ScriptedHub(
    ["notes", "lines"].map((name) => table(name, { id: "integer!", body: "text" })));
  const open = browser({ hasLocks: true });
  const [notes, lines] = [{ key: ["id"] }, { columns: ["id", "body"], key: ["id"] }];
  const one = await open(hub, { tables: { notes, lines } });
  const swapped = { key: ["id"], columns: ["id", "body"] };
  const other = await open(hub, { tables: { lines: swapped, notes } });
  await one.table("notes").insert({ id: 1, body: "by one" });
  assert.equal(await bodies(other), "by one");
});

test("a tab with another list of tables makes the others reload", async () => {
  const hub = newHub();
  const open = browser({ hasLocks: true });
  const former = await open(hub);
  await former.table("notes").insert({ id: 1, body: "kept" });
  const next = await open(hub, { tables: { notes: { key: ["id"], columns: ["id", "body"] } } });
  await assert.rejects(former.table("notes").all(), { code: "metadataNewer" });
  assert.equal(await bodies(next), "kept");
});
