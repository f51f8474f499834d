// How changes go up.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore } from "../moorage.js";
import { customers, fails, newHub, synced } from "./support/customers.js";
import { device } from "./support/device.js";
import { table } from "./support/scripted-hub.js";

test("a batch goes out byte for byte until it is answered", async () => {
  const { hub, replica, view } = await synced();
  const batches = [];
  hub.intercept = async (path, content) => {
    if (content?.batch) batches.push(content.batch);
    return batches.length < 4 && content?.batch ? Response.error() : undefined;
  };
  await view.update(1, { city: "Nice" });
  for (let tries = 0; tries < 3; tries += 1) {
    await assert.rejects(replica.sync());
    await view.update(1, { name: `later ${tries}` });
  }
  await replica.sync();
  assert.equal(new Set(batches.slice(0, 4)).size, 1);
  assert.deepEqual(hub.row("customers", [1]), [1, "later 2", "Nice"]);
});

test("an answer that is lost is asked for again, and applied once", async () => {
  const { hub, replica, view } = await synced();
  await view.update(1, { city: "Nice" });
  hub.cut = (size) => Math.floor(size / 3);
  await fails(replica.sync(), "unreachable");
  hub.cut = () => Infinity;
  await replica.sync();
  assert.equal(hub.applied.length, 1);
  assert.deepEqual(await replica.pending(), []);
});

test("a batch that the hub cannot take is halved, under the same number", async () => {
  const { hub, replica, view } = await synced();
  for (let id = 10; id < 18; id += 1) await view.insert({ id, name: `n${id}` });
  const sizes = [];
  const push = hub.push.bind(hub);
  hub.push = (id, batch) => {
    sizes.push([batch.number, batch.changes.length]);
    return batch.changes.length > 2
      ? { number: batch.number, status: "notTaken", list: [] } : push(id, batch);
  };
  await replica.sync();
  assert.deepEqual(sizes.slice(0, 3), [[1, 8], [1, 4], [1, 2]]);
  assert.equal(hub.rows("customers").length, 9);
  hub.push = (id, batch) => ({ number: batch.number, status: "notTaken", list: [] });
  await view.insert({ id: 99, name: "never" });
  await fails(replica.sync(), "tooLarge");
  assert.equal((await replica.pending()).length, 1);
});

test("a hub that sends the replica in circles ends the sync", async () => {
  const { hub, replica, view } = await synced();
  await view.insert({ id: 2, name: "two" });
  hub.push = (id, batch) => ({ number: batch.number, status: "forked", list: [] });
  await fails(replica.sync(), "protocolViolation");
  assert.equal((await replica.pending()).length, 1);
});

test("changes go up in an order in which they can be made", async () => {
  const hub = newHub(
    customers(),
    table("notes", { id: "integer!", parent: "integer", owner: "integer" }, {
      foreign: [
        { columns: [1], table: "notes", references: ["id"], onDelete: "noAction",
          onUpdate: "noAction", deferrable: false },
        { columns: [2], table: "customers", references: ["id"], onDelete: "noAction",
          onUpdate: "noAction", deferrable: false },
      ],
    }));
  hub.put("customers", [7], [7, "old", null]);
  hub.put("notes", [70], [70, null, 7]);
  const replica = await device(hub);
  await replica.sync();
  const notes = replica.table("notes");
  await notes.insert({ id: 1, parent: 2 });
  await notes.insert({ id: 2, parent: 3, owner: 8 });
  await notes.insert({ id: 3 });
  await replica.table("customers").delete(7);
  await notes.delete(70);
  await replica.table("customers").insert({ id: 8, name: "new" });
  await replica.sync();
  const { tables, changes } = JSON.parse(hub.requests.at(-1).text).batch;
  assert.deepEqual(
    changes.map(({ table: place, key, insert }) =>
      `${insert ? "+" : "-"}${tables[place].name} ${key}`),
    ["+customers 8", "+notes 3", "+notes 2", "+notes 1", "-notes 70", "-customers 7"]);
});

test("a long log is cut so that no row goes before the row that it refers to", async () => {
  const hub = newHub(table("notes", { id: "integer!", parent: "integer" }, {
    foreign: [{ columns: [1], table: "notes", references: ["id"], onDelete: "noAction",
      onUpdate: "noAction", deferrable: false }],
  }));
  hub.refuse = (name, { insert }) => (insert && insert[1] !== null && !hub.row(name, [insert[1]])
    ? ["foreignKey", "No such row."] : undefined);
  const replica = await device(hub, {
    environment: { limits: { batch: { rows: 2, bytes: 1e6 } } },
  });
  const notes = replica.table("notes");
  // Each refers to the next, which is inserted later.
  await replica.sync();
  for (let id = 1; id <= 6; id += 1) await notes.insert({ id, parent: id < 6 ? id + 1 : null });
  await replica.sync();
  assert.deepEqual(await replica.refused(), []);
  assert.equal(hub.rows("notes").length, 6);
});

test("a row that gives up a unique value goes with the row that takes it", async () => {
  const hub = newHub(table("tags", { id: "integer!", label: "text!" }, { unique: [[1]] }));
  hub.put("tags", [1], [1, "red"]);
  hub.put("tags", [2], [2, "blue"]);
  const replica = await device(hub, {
    environment: { limits: { batch: { rows: 1, bytes: 1e6 } } },
  });
  await replica.sync();
  await replica.table("tags").insert({ id: 3, label: "red" });
  await replica.table("tags").delete(1);
  await replica.table("tags").update(2, { label: "green" });
  await replica.sync();
  const sizes = hub.requests.filter(({ content }) => content?.batch)
    .map(({ content }) => JSON.parse(content.batch).changes.length);
  assert.deepEqual(sizes, [2, 1]);
});

const toCode = {
  foreign: [{ columns: [1], table: "parents", references: ["code"], onDelete: "noAction",
    onUpdate: "noAction", deferrable: false }],
};
const families = () => newHub(
  table("parents", { id: "integer!", code: "text!" }, { unique: [[1]] }),
  table("children", { id: "integer!", code: "text" }, toCode));

/** Counts what each transaction reads. */
function counting(store) {
  const counts = { gets: 0 };
  const write = store.write.bind(store);
  store.write = (work, isDurable) => write((transaction) => {
    const get = transaction.get.bind(transaction);
    transaction.get = (...place) => {
      counts.gets += 1;
      return get(...place);
    };
    return work(transaction);
  }, isDurable);
  return counts;
}

test("rows that refer to another unique key are found without reading all for each", async () => {
  const store = new MemoryStore();
  const replica = await device(families(), { store });
  await replica.sync();
  await replica.write(async (tx) => {
    for (let id = 1; id <= 200; id += 1) {
      await tx.table("parents").insert({ id, code: `c${id}` });
      await tx.table("children").insert({ id, code: `c${201 - id}` });
    }
  });
  const counts = counting(store);
  assert.equal((await replica.sync()).pushed, 400);
  assert.ok(counts.gets < 2_000, `${counts.gets} reads`);
});

test("a batch that is full looks at no more changes", async () => {
  const store = new MemoryStore();
  const replica = await device(newHub(), {
    store, environment: { limits: { batch: { rows: 10, bytes: 1e6 } } },
  });
  await replica.sync();
  await replica.write(async (tx) => {
    for (let id = 1; id <= 400; id += 1) await tx.table("customers").insert({ id, name: "n" });
  });
  const counts = counting(store);
  assert.equal((await replica.sync()).pushed, 400);
  assert.ok(counts.gets < 4_000, `${counts.gets} reads`);
});

test("a long log goes up, and its blocked changes stay listed", async () => {
  const replica = await device(newHub(), {
    environment: { limits: { batch: { rows: 2, bytes: 1e6 } } },
  });
  // Before the first contact no type is known.
  for (let id = 1; id <= 6; id += 1) {
    const name = id === 6 ? new Uint8Array([1]) : `n${id}`;
    await replica.table("customers").insert({ id, name });
  }
  const counts = [];
  replica.addEventListener("statuschange", () => { counts.push(replica.status.refused); });
  await replica.sync();
  await replica.table("customers").insert({ id: 0, name: "later" });
  await replica.table("customers").insert({ id: 7, name: "later" });
  await replica.table("customers").insert({ id: 8, name: "later" });
  await replica.sync();
  assert.deepEqual((await replica.refused()).map(({ key }) => key), [[6]]);
  assert.deepEqual([...new Set(counts)], [0, 1]);
  await replica.table("customers").update(6, { name: "n6" });
  await replica.sync();
  assert.deepEqual(await replica.refused(), []);
});

test("a large group is gathered in one step for each change", async () => {
  const replica = await device(newHub());
  await replica.sync();
  await replica.write(async (tx) => {
    for (let id = 1; id <= 3_000; id += 1) await tx.table("customers").insert({ id, name: "n" });
  }, { together: true });
  const has = Set.prototype.has;
  let steps = 0;
  Set.prototype.has = function counted(one) {
    steps += 1;
    return has.call(this, one);
  };
  try {
    assert.equal((await replica.sync()).pushed, 3_000);
  } finally {
    Set.prototype.has = has;
  }
  assert.ok(steps < 1_000_000, `${steps} steps`);
});

test("a row waits for one of a suspended table to whose unique value it refers", async () => {
  const hub = families();
  const replica = await device(hub);
  await replica.sync();
  hub.suspended = [{ name: "parents", reason: "For a moment." }];
  await replica.sync();
  await replica.table("parents").insert({ id: 1, code: "red" });
  await replica.table("children").insert({ id: 1, code: "red" });
  await replica.table("children").insert({ id: 2, code: "blue" });
  await replica.sync();
  assert.deepEqual(hub.rows("children"), [[2, "blue"]]);
  hub.suspended = [];
  await replica.sync();
  await replica.sync();
  assert.deepEqual(hub.row("children", [1]), [1, "red"]);
});
