// What an app writes and reads, and what stays on top of what arrives.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore } from "../moorage.js";
import { Real } from "../src/json.js";
import { COLUMNS, customers, fails, newHub, synced } from "./support/customers.js";
import { copyOf, device, eventually } from "./support/device.js";
import { table } from "./support/scripted-hub.js";

test("every value arrives and goes up unchanged", async () => {
  const hub = newHub(table("values", {
    id: "integer!", whole: "integer", flag: "boolean", real: "real", decimal: "decimal",
    text: "text", blob: "blob", uuid: "uuid", day: "date", json: "json",
  }));
  const uuid = "0f0e0d0c-0b0a-4908-8706-050403020100";
  const wire = [
    1, 9007199254740993n, 1, new Real(5), "9.80", "Åsa\u0000\n\"", Uint8Array.of(0, 255), uuid,
    "1996-07-04", '{"a":1.50}',
  ];
  hub.put("values", [1], wire);
  const replica = await device(hub);
  await replica.sync();
  const row = await replica.table("values").get(1);
  assert.deepEqual(row, {
    id: 1, whole: 9007199254740993n, flag: true, real: 5, decimal: "9.80",
    text: "Åsa\u0000\n\"", blob: Uint8Array.of(0, 255), uuid, day: "1996-07-04",
    json: '{"a":1.50}',
  });
  await replica.table("values").insert({ ...row, id: -9223372036854775808n });
  await replica.sync();
  assert.deepEqual(
    hub.row("values", [-9223372036854775808n]),
    [-9223372036854775808n, ...wire.slice(1, 3), new Real(5, "5.0"), ...wire.slice(4)]);
  assert.ok(hub.requests.at(-1).text.includes(
    '[-9223372036854775808,9007199254740993,1,5.0,"9.80","Åsa\\u0000\\u000a\\"",{"b":"AP8="},'));
});

test("a value that is not of its column's type is refused at once", async () => {
  const { view } = await synced();
  await fails(view.insert({ id: "7", name: "x" }), "type");
  await fails(view.insert({ id: 1.5, name: "x" }), "type");
  await fails(view.insert({ id: 2n ** 63n, name: "x" }), "type");
  await fails(view.insert({ id: 7, name: "\ud800" }), "type");
  await fails(view.insert({ id: 7, name: null }), "notNull");
  await fails(view.insert({ id: 7 }), "notNull");
  await fails(view.insert({ name: "no key" }), "notNull");
  await fails(view.insert({ id: 7, name: "x", other: 1 }), "unknownColumn");
  await fails(view.insert({ id: 1, name: "there already" }), "unique");
  await fails(view.update(9, { name: "nobody" }), "notFound");
  await fails(view.update(1, { name: undefined }), "type");
  await fails(view.update(1, { id: 2 }), "type");
  assert.equal(await view.delete(9), false);
});

test("an edit stays on top of what comes, column by column", async () => {
  const { hub, replica, view } = await synced();
  hub.intercept = async () => {
    hub.intercept = async () => undefined;
    // The user goes on while the request is on its way.
    await view.update(1, { city: "Nice" });
    hub.put("customers", [1], [1, "Anna", "Paris"]);
  };
  await replica.sync();
  assert.deepEqual(await view.get(1), { id: 1, name: "Anna", city: "Nice" });
  hub.wins = "client";
  await replica.sync();
  assert.deepEqual(hub.row("customers", [1]), [1, "Anna", "Nice"]);
});

test("where whole rows are merged, a row with an edit stays as its user saw it", async () => {
  const { hub, replica, view } = await synced(newHub(customers(COLUMNS, { granularity: "row" })));
  hub.intercept = async () => {
    hub.intercept = async () => undefined;
    await view.update(1, { city: "Nice" });
    hub.put("customers", [1], [1, "Anna", "Paris"]);
  };
  await replica.sync();
  assert.deepEqual(await view.get(1), { id: 1, name: "Ann", city: "Nice" });
  await replica.sync();
  const { update } = JSON.parse(hub.requests.at(-1).text).batch.changes[0];
  assert.deepEqual(update, [[2, "Lyon", "Nice"], [1, "Ann", "Ann"]]);
});

test("a row that came and went here asks the hub what it has", async () => {
  const { hub, replica, view } = await synced();
  await view.insert({ id: 5, name: "short" });
  await view.delete(5);
  hub.put("customers", [5], [5, "of another", null]);
  await replica.sync();
  assert.deepEqual(await view.get(5), { id: 5, name: "of another", city: null });
});

test("a deleted row that is inserted again goes up as an update", async () => {
  const { hub, replica, view } = await synced();
  await view.delete(1);
  await view.insert({ id: 1, name: "Ann", city: "Rome" });
  await replica.sync();
  const [change] = JSON.parse(hub.requests.at(-1).text).batch.changes;
  assert.deepEqual(change.update, [[2, "Lyon", "Rome"]]);
});

test("writes of one transaction are stored as a whole, and a group goes up as one", async () => {
  const { hub, replica, view } = await synced();
  await assert.rejects(replica.write(async (tx) => {
    await tx.table("customers").insert({ id: 2, name: "half" });
    throw new Error("no");
  }), /no/);
  assert.equal(await view.get(2), null);
  await replica.write(async (tx) => {
    await tx.table("customers").insert({ id: 2, name: "one" });
    await tx.table("customers").update(1, { city: "Nice" });
    assert.equal((await tx.table("customers").all()).length, 2);
  }, { together: true });
  await view.insert({ id: 3, name: "alone" });
  await replica.sync();
  const groups = JSON.parse(hub.requests.at(-1).text).batch.changes.map(({ group }) => group);
  assert.deepEqual(groups.sort(), [1, 1, undefined]);
});

test("edits of one transaction that run at once do not lose each other", async () => {
  const { replica, view } = await synced();
  await replica.write((tx) => Promise.all([
    tx.table("customers").update(1, { name: "Anna" }),
    tx.table("customers").update(1, { city: "Nice" }),
  ]));
  assert.deepEqual(await view.get(1), { id: 1, name: "Anna", city: "Nice" });
  await Promise.all([view.update(1, { name: "A" }), view.update(1, { city: "B" })]);
  assert.deepEqual(await view.get(1), { id: 1, name: "A", city: "B" });
});

test("observers are called now, and once for changes that follow each other", async () => {
  const { hub, replica, view } = await synced();
  const seen = [];
  const end = replica.observe(["customers"], async () => {
    seen.push((await view.all()).map((row) => row.city).join());
  });
  await eventually(() => seen.length === 1);
  await view.update(1, { city: "Nice" });
  await eventually(() => seen.at(-1) === "Nice");
  await replica.sync();
  hub.put("customers", [1], [1, "Ann", "Paris"]);
  const sources = [];
  replica.addEventListener("change", ({ detail }) => sources.push(detail.source));
  await replica.sync();
  await eventually(() => seen.at(-1) === "Paris");
  assert.deepEqual(sources, ["hub"]);
  end();
  await view.update(1, { city: "Rome" });
  assert.equal(seen.at(-1), "Paris");
});

test("rows can be found by values, ranges and functions, sorted and limited", async () => {
  const hub = newHub(table("things", {
    id: "integer!", name: "text", price: "decimal", due: "date",
  }));
  const rows = [
    [1, "b", "9.80", "2026-01-02"], [2, "a", "10", null], [3, "é", "-1.5", "2026-01-01"],
    [4, null, "9.8", "2025-12-31"],
  ];
  for (const row of rows) hub.put("things", [row[0]], row);
  const replica = await device(hub);
  await replica.sync();
  const ids = async (query) => (await replica.table("things").all(query)).map(({ id }) => id);
  assert.deepEqual(await ids(), [1, 2, 3, 4]);
  assert.deepEqual(await ids({ where: { price: "9.800" } }), [1, 4]);
  assert.deepEqual(await ids({ where: { name: null } }), [4]);
  assert.deepEqual(await ids({ where: { name: { not: null } } }), [1, 2, 3]);
  assert.deepEqual(await ids({ where: { price: { above: "9.8" } } }), [2]);
  assert.deepEqual(await ids({ where: { price: { from: "-2", to: "9.8" } } }), [1, 3, 4]);
  assert.deepEqual(await ids({ where: { due: { below: "2026-01-02" } } }), [3, 4]);
  assert.deepEqual(await ids({ where: { id: { in: [2, 4, 9] } } }), [2, 4]);
  assert.deepEqual(await ids({ where: ({ id }) => id > 2 }), [3, 4]);
  assert.deepEqual(await ids({ sort: "-price" }), [2, 1, 4, 3]);
  assert.deepEqual(await ids({ sort: ["name"], limit: 2 }), [4, 2]);
  await fails(replica.table("things").all({ where: { nothing: 1 } }), "unknownColumn");
  await fails(replica.table("things").all({ where: { id: { like: 1 } } }), "malformed");
  await fails(replica.table("things").all({ limit: -1 }), "malformed");
});

test("a write that waits for something else ends after its limit", async () => {
  const { written } = await import("../src/writer.js");
  const { Core } = await import("../src/session.js");
  const core = new Core({ store: new MemoryStore(), listed: {} });
  await fails(written(core, () => new Promise(() => {}), { limit: 20 }), "busy");
});

test("the device reports what it is, and again when that changed", async () => {
  const { hub, replica, view } = await synced(newHub(), {
    device: { name: "Ada's phone", appVersion: "2.10.1" },
  });
  const reports = () => hub.requests.flatMap(({ content }) => content?.report ?? []);
  assert.deepEqual(
    [reports()[0].name, reports()[0].appVersion, reports()[0].pending],
    ["Ada's phone", "2.10.1", 0]);
  assert.equal(hub.requests.at(-1).content.clientVersion, "2.10.1");
  const count = reports().length;
  await replica.sync();
  assert.equal(reports().length, count);
  hub.refuse = () => ["check", "No."];
  await view.insert({ id: 2, name: "refused" });
  await replica.sync();
  await replica.sync();
  assert.equal(reports().at(-1).refused, 1);
});

test("what may have been sent before is marked, once the replica has another id", async () => {
  const store = new MemoryStore();
  const options = { store, environment: { limits: { batch: { rows: 1, bytes: 1e6 } } } };
  const { hub, replica, view } = await synced(newHub(), options);
  await view.insert({ id: 2, name: "first" });
  await view.insert({ id: 3, name: "second" });
  const backup = copyOf(store);
  await replica.sync();
  await replica.close();
  const second = await device(hub, { ...options, store: backup });
  const former = await second.id();
  const count = hub.requests.length;
  await second.sync();
  assert.notEqual(await second.id(), former);
  const sent = hub.requests.slice(count).map(({ content }) => content);
  const again = sent.slice(1).flatMap(({ batch }) => (batch ? JSON.parse(batch).changes : []))
    .map(({ key, again: isAgain }) => [key[0], isAgain]);
  assert.deepEqual(again, [[2, true], [3, true]]);
  // The former id goes along until the hub has welcomed the new one.
  assert.deepEqual(sent.map(({ formerly }) => formerly), [undefined, former, undefined]);
});

test("a call that the write did not wait for fails where it is not stored", async () => {
  const store = new MemoryStore();
  const { replica, view } = await synced(undefined, { store });
  const read = store.read.bind(store);
  let reads = 0;
  let open;
  const opened = new Promise((resolve) => { open = resolve; });
  let begun;
  const hasBegun = new Promise((resolve) => { begun = resolve; });
  let call;
  await replica.write(async (tx) => {
    // The second read of an insert is that of the row's change.
    store.read = async (work) => {
      reads += 1;
      if (reads === 2) {
        begun();
        await opened;
      }
      return read(work);
    };
    call = tx.table("customers").insert({ id: 100, name: "x" });
    call.catch(() => {});
    await hasBegun;
  });
  open();
  await fails(call, "database");
  store.read = read;
  assert.equal(await view.get(100), null);
});
