// Schemas that change, and tables that only one side has.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore } from "../moorage.js";
import { Real } from "../src/json.js";
import { localTables } from "../src/tables.js";
import { COLUMNS, customers, fails, newHub, onPages, synced } from "./support/customers.js";
import { device } from "./support/device.js";
import { table } from "./support/scripted-hub.js";

test("a new column is read, and a row that waited goes up with it", async () => {
  const { hub, replica, view } = await synced();
  await view.insert({ id: 2, name: "waits" });
  hub.tables = [customers({ ...COLUMNS, country: 'text="FR"' })];
  hub.history.rows.get("customers [1]").values = [1, "Ann", "Lyon", "DE"];
  await replica.sync();
  assert.deepEqual(await view.get(1), { id: 1, name: "Ann", city: "Lyon", country: "DE" });
  assert.deepEqual(await view.get(2), { id: 2, name: "waits", city: null, country: "FR" });
  assert.deepEqual(await replica.verify("customers"), []);
});

test("a column that is gone takes its batch along, and its edits are listed", async () => {
  const { hub, replica, view } = await synced();
  await view.update(1, { name: "Anna" });
  hub.cut = () => 0;
  await fails(replica.sync(), "unreachable");
  hub.cut = () => Infinity;
  await view.update(1, { city: "Nice" });
  hub.tables = [customers({ id: "integer!", name: "text!" })];
  hub.history.rows.get("customers [1]").values = [1, "Ann"];
  // The hub took the batch before the column went.
  const known = hub.history.replicas;
  const { batch } = hub.requests.findLast(({ content }) => content?.batch).content;
  const { number, nonce } = JSON.parse(batch);
  known.set(await replica.id(), {
    number, nonces: new Map([[number, nonce]]), outcomes: [{ is: "applied", stored: [] }],
  });
  hub.set("customers", [1], [1, "Anna"]);
  await replica.sync();
  assert.deepEqual(await view.get(1), { id: 1, name: "Anna" });
  const [entry] = await replica.refused();
  assert.deepEqual([entry.code, entry.after], ["unknownColumn", { city: "Nice" }]);
});

test("a renamed column keeps its name in the app, and its edits", async () => {
  const { hub, replica, view } = await synced();
  await view.update(1, { city: "Nice" });
  const renamed = customers({ id: "integer!", name: "text!", town: "text" });
  renamed.columns[2].aliases = ["city"];
  hub.tables = [renamed];
  await replica.sync();
  assert.deepEqual(await view.get(1), { id: 1, name: "Ann", city: "Nice" });
  assert.deepEqual(hub.row("customers", [1]), [1, "Ann", "Nice"]);
});

test("an app that lists another name for a column finds its rows and edits under it", async () => {
  const hub = newHub();
  hub.tables[0].columns[2].aliases = ["town"];
  const store = new MemoryStore();
  const first = await synced(hub, { store });
  await first.view.update(1, { city: "Nice" });
  await first.replica.close();
  const replica = await device(hub, {
    store, tables: { customers: { key: ["id"], columns: ["id", "name", "town"] } },
  });
  assert.deepEqual(
    await replica.table("customers").get(1), { id: 1, name: "Ann", town: "Nice" });
  await replica.sync();
  assert.deepEqual(hub.row("customers", [1]), [1, "Ann", "Nice"]);
});

test("an edit waits where its column got another type, and goes up in the new form", async () => {
  const hub = newHub(customers({ id: "integer!", name: "text!", amount: "text" }));
  hub.put("customers", [1], [1, "Ann", "7"]);
  const replica = await device(hub);
  await replica.sync();
  const view = replica.table("customers");
  await view.update(1, { amount: "8" });
  await view.insert({ id: 2, name: "Ben", amount: "no number" });
  hub.tables = [customers({ id: "integer!", name: "text!", amount: "integer" })];
  hub.isRetyped = true;
  hub.history.rows.get("customers [1]").values = [1, "Ann", 7];
  await replica.sync();
  assert.deepEqual(hub.row("customers", [1]), [1, "Ann", 8]);
  const [entry] = await replica.refused();
  assert.deepEqual([entry.code, entry.isBlocked, entry.key], ["type", true, [2]]);
  await fails(replica.retry(entry), "resubmitBlocked");
  await view.update(2, { amount: 9 });
  await replica.sync();
  assert.deepEqual(hub.row("customers", [2]), [2, "Ben", 9]);
  assert.deepEqual(await replica.refused(), []);
});

test("a table that is gone keeps its rows and changes, and goes on when it is back", async () => {
  const orders = table("orders", { id: "integer!", note: "text" });
  const { hub, replica, view } = await synced(newHub(customers(), orders));
  await view.update(1, { city: "Nice" });
  hub.tables = [orders];
  await replica.table("orders").insert({ id: 1, note: "goes up" });
  await replica.sync();
  assert.deepEqual(replica.status.suspended.map(({ name, code }) => [name, code]),
    [["customers", "unknownTable"]]);
  assert.equal((await view.get(1)).city, "Nice");
  assert.equal((await replica.pending()).length, 1);
  assert.deepEqual(hub.row("orders", [1]), [1, "goes up"]);
  hub.put("customers", [2], [2, "Ben", null]);
  hub.history.rows.delete("customers [3]");
  hub.tables = [customers(), orders];
  await replica.sync();
  await replica.sync();
  assert.deepEqual(hub.row("customers", [1]), [1, "Ann", "Nice"]);
  assert.equal((await view.all()).length, 2);
  assert.deepEqual(replica.status.suspended, []);
});

test("a suspended table keeps its changes, and what refers to them waits", async () => {
  const hub = newHub(customers(), table("orders", { id: "integer!", customer: "integer" }, {
    foreign: [{ columns: [1], table: "customers", references: ["id"], onDelete: "noAction",
      onUpdate: "noAction", deferrable: false }],
  }));
  const { replica, view } = await synced(hub);
  hub.suspended = [{ name: "customers", reason: "Update the app.", code: "clientTooOld" }];
  await view.insert({ id: 2, name: "waits" });
  await replica.table("orders").insert({ id: 1, customer: 2 });
  await replica.table("orders").insert({ id: 2, customer: 1 });
  await replica.sync();
  await replica.sync();
  assert.equal(hub.row("orders", [1]), null);
  assert.deepEqual(hub.row("orders", [2]), [2, 1]);
  assert.deepEqual(replica.status.suspended,
    [{ name: "customers", code: "clientTooOld", reason: "Update the app." }]);
  assert.equal((await replica.pending()).length, 2);
  hub.suspended = [];
  await replica.sync();
  assert.deepEqual(hub.row("orders", [1]), [1, 2]);
  assert.equal((await view.all()).length, 2);
});

test("an app may write before it has met its hub", async () => {
  const hub = newHub(table("things", {
    id: "uuid!", size: "real", price: "decimal", flag: "boolean", note: "text=\"none\"",
  }));
  const replica = await device(hub);
  const id = "0F0E0D0C-0B0A-4908-8706-050403020100";
  await replica.table("things").insert({ id, size: 5, price: "9.80", flag: true, unknown: "kept" });
  assert.deepEqual(await replica.table("things").get(id),
    { id, size: 5, price: "9.80", flag: true, unknown: "kept" });
  await replica.sync();
  assert.deepEqual(hub.rows("things"), [[id.toLowerCase(), new Real(5, "5.0"), "9.80", 1, "none"]]);
  assert.deepEqual(await replica.table("things").get(id.toLowerCase()),
    { id: id.toLowerCase(), size: 5, price: "9.80", flag: true, note: "none" });
  const [entry] = await replica.refused();
  assert.deepEqual([entry.code, entry.after], ["unknownColumn", { unknown: "kept" }]);
});

test("a table of another key is suspended", async () => {
  const hub = newHub();
  const replica = await device(hub, { tables: { customers: { key: ["name"] } } });
  await replica.table("customers").insert({ name: "kept" });
  await replica.sync();
  assert.equal(replica.status.suspended[0].code, "keyMismatch");
  assert.equal((await replica.pending()).length, 1);
});

test("without a list, the replica has all tables of the hub", async () => {
  const { replica } = await synced(newHub(), { tables: undefined });
  assert.equal((await replica.table("customers").all()).length, 1);
  await fails(replica.table("others").all(), "noSuchTable");
});

test("without a list, a table keeps its name when the owner gives it another one", async () => {
  const { hub, replica, view } = await synced(newHub(), { tables: undefined });
  await view.update(1, { city: "Nice" });
  hub.tables = [customers(COLUMNS, { deviceName: "clients" })];
  await replica.sync();
  assert.deepEqual(replica.status.suspended, []);
  assert.deepEqual(await replica.pending(), []);
  assert.deepEqual(hub.row("customers", [1]), [1, "Ann", "Nice"]);
  hub.put("customers", [2], [2, "Ben", null]);
  await replica.sync();
  assert.equal((await view.all()).length, 2);
  await fails(replica.table("clients").all(), "noSuchTable");
  // A replica that is new begins with the new name.
  assert.deepEqual([...localTables(hub.tables, null, {}).keys()], ["clients"]);
});

test("the direction of a table and the rights of the user decide what may be written", async () => {
  const hub = newHub(
    customers(), table("prices", { id: "integer!", amount: "decimal" }, { direction: "down" }),
    table("events", { id: "integer!", what: "text" }, { direction: "up" }));
  hub.rights = {
    version: "r1",
    tables: [{ table: "customers", insert: ["name"], update: ["city"], delete: false, move: true }],
  };
  const { replica, view } = await synced(hub, {
    tables: {
      customers: { key: ["id"], refusesForbidden: true }, prices: {}, events: {},
    },
  });
  await fails(replica.table("prices").insert({ id: 1 }), "readOnly");
  await fails(view.update(1, { name: "no" }), "permission");
  await fails(view.delete(1), "permission");
  await fails(view.insert({ id: 2, name: "x", city: "no" }), "permission");
  await view.update(1, { city: "yes" });
  await view.insert({ id: 2, name: "own" });
  // The hub has not seen it.
  await view.update(2, { name: "changed" });
  await view.delete(2);
  const rights = await replica.rights("customers");
  assert.deepEqual([rights.insert(), rights.insert("city"), rights.update("city"), rights.delete],
    [true, false, true, false]);
  assert.equal((await replica.rights("prices")).insert(), false);
  hub.refuse = (name) => (name === "events" ? ["check", "No."] : undefined);
  hub.script = onPages((content) => ({ ...content, removals: [] }));
  await replica.table("events").insert({ id: 1, what: "refused" });
  await replica.sync();
  assert.equal(await replica.table("events").get(1), null);
  assert.equal((await replica.refused())[0].after.what, "refused");
});

test("keys come from the blocks of the hub, and a UUID from the replica", async () => {
  const hub = newHub(
    table("invoices", { id: "integer!", name: "text" }, { keyBlock: 3 }),
    table("notes", { id: "uuid!", body: "text" }));
  const replica = await device(hub);
  await fails(replica.table("invoices").insert({ name: "too early" }), "notNull");
  await replica.sync();
  const ids = [];
  for (let count = 0; count < 3; count += 1) {
    ids.push((await replica.table("invoices").insert({ name: "n" })).id);
  }
  assert.deepEqual(ids, [1_000, 1_001, 1_002]);
  await fails(replica.table("invoices").insert({ name: "none left" }), "noKeysLeft");
  assert.match((await replica.table("notes").insert({ body: "b" })).id, /^[0-9a-f-]{36}$/);
  await replica.sync();
  assert.equal(await replica.write((tx) => tx.nextKey("invoices")), 1_003);
  assert.equal((await replica.table("invoices").insert({ name: "n" })).id, 1_004);
});
