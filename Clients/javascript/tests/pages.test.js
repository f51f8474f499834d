// What a replica does with what arrives.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore } from "../moorage.js";
import { Real } from "../src/json.js";
import { fails, newHub, onPages, synced } from "./support/customers.js";
import { device } from "./support/device.js";
import { table } from "./support/scripted-hub.js";

test("a long table comes page by page, and a scan goes on where it was", async () => {
  const hub = newHub();
  for (let id = 1; id <= 25; id += 1) hub.set("customers", [id], [id, `n${id}`, null]);
  const replica = await device(hub, {
    environment: { limits: { page: { rows: 4, bytes: 1e6, pages: 2 } } },
  });
  let exchanges = 0;
  hub.cut = (size) => {
    exchanges += 1;
    return exchanges === 2 ? size - 30 : Infinity;
  };
  await fails(replica.sync(), "unreachable");
  const half = (await replica.table("customers").all()).length;
  assert.ok(half > 0 && half < 25);
  assert.deepEqual(replica.status.progress, { done: half, expected: 25 });
  await replica.sync();
  assert.equal((await replica.table("customers").all()).length, 25);
  assert.equal(replica.status.isCaughtUp, true);
});

test("a page that does not continue the cursor is dropped", async () => {
  const { hub, replica, view } = await synced();
  hub.script = (frames) => {
    hub.script = (all) => all;
    return onPages((content) => (
      { ...content, since: { ...content.since, checkpoint: "0" } }))(frames);
  };
  hub.put("customers", [2], [2, "Ben", null]);
  await replica.sync();
  assert.equal(await view.get(2), null);
  await replica.sync();
  assert.equal((await view.get(2)).name, "Ben");
});

test("a page for a request without a batch is dropped, once there is a batch", async () => {
  const store = new MemoryStore();
  const { hub, replica, view } = await synced(newHub(), { store });
  hub.put("customers", [1], [1, "Anna", "Paris"]);
  hub.intercept = async () => {
    hub.intercept = async () => { throw new TypeError("offline"); };
    // The same store, as another tab has it: it prepares a batch, and its request is lost.
    const second = await device(hub, { store });
    await second.table("customers").update(1, { city: "Nice" });
    await fails(second.sync(), "unreachable");
    hub.intercept = async () => undefined;
  };
  const summary = await replica.sync();
  assert.equal(summary.isCaughtUp, false);
  assert.deepEqual(await view.get(1), { id: 1, name: "Ann", city: "Nice" });
  await replica.sync();
  assert.deepEqual(await replica.pending(), []);
  assert.deepEqual(await view.get(1), { id: 1, name: "Anna", city: "Paris" });
  assert.equal((await replica.conflicts())[0].mine.city, "Nice");
});

test("a row that was inserted during a copy stays, though no page brings it", async () => {
  const { hub, replica, view } = await synced();
  hub.isExpired = (request) => request.cursor.checkpoint !== undefined;
  hub.script = (frames) => {
    hub.isExpired = () => false;
    return frames;
  };
  await view.insert({ id: 3, name: "inserted" });
  await replica.sync();
  assert.deepEqual((await view.all()).map(({ name }) => name), ["Ann", "inserted"]);
  assert.deepEqual(await replica.refused(), []);
});

test("a removal is blocked by a local edit until its answer", async () => {
  const { hub, replica, view } = await synced();
  hub.intercept = async () => {
    hub.intercept = async () => undefined;
    await view.update(1, { city: "Nice" });
    hub.put("customers", [1], null);
  };
  await replica.sync();
  await replica.sync();
  assert.equal(await view.get(1), null);
  const [entry] = await replica.refused();
  assert.deepEqual([entry.code, entry.after], ["gone", { city: "Nice" }]);
  await replica.retry(entry);
  await replica.sync();
  assert.deepEqual(hub.row("customers", [1]), [1, "Ann", "Nice"]);
});

test("withheld rows are listed, and stay as they are", async () => {
  const { hub, replica, view } = await synced();
  hub.script = onPages((content) => ({
    ...content, tables: [],
    withheld: [{ row: { table: "customers", key: [1] }, column: "city", reason: "Not text." }],
  }));
  hub.put("customers", [1], [1, "Ann", "bad"]);
  await replica.sync();
  assert.deepEqual(await replica.withheld(), [
    { table: "customers", key: [1], column: "city", reason: "Not text." },
  ]);
  assert.equal((await view.get(1)).city, "Lyon");
  hub.script = (frames) => frames;
  hub.put("customers", [1], [1, "Ann", "good"]);
  await replica.sync();
  assert.deepEqual(await replica.withheld(), []);
  assert.equal((await view.get(1)).city, "good");
});

test("a row with NaN is withheld here, and infinity arrives", async () => {
  const hub = newHub(table("values", { id: "integer!", real: "real" }));
  hub.put("values", [1], [1, new Real(NaN)]);
  hub.put("values", [2], [2, new Real(-Infinity)]);
  const replica = await device(hub);
  await replica.sync();
  assert.equal(await replica.table("values").get(1), null);
  assert.equal((await replica.table("values").get(2)).real, -Infinity);
  assert.equal((await replica.withheld())[0].column, "real");
});

test("after too long an absence the replica reads all again, and lists what is gone", async () => {
  const { hub, replica, view } = await synced();
  hub.put("customers", [2], [2, "Ben", null]);
  await replica.sync();
  const id = await replica.id();
  // The hub has forgotten the deletion of a row.
  hub.history.rows.delete("customers [2]");
  hub.isExpired = (request) => request.cursor.checkpoint !== undefined;
  await view.insert({ id: 3, name: "pending" });
  hub.script = (frames) => {
    hub.isExpired = () => false;
    return frames;
  };
  await replica.sync();
  assert.equal(await replica.id(), id);
  assert.deepEqual((await view.all()).map((row) => row.name), ["Ann", "pending"]);
  const [entry] = await replica.refused();
  assert.deepEqual([entry.code, entry.after.name], ["recovered", "Ben"]);
  assert.deepEqual(hub.row("customers", [3]), [3, "pending", null]);
});

test("a hub that goes on in a copy does not get again what it answered before", async () => {
  const { hub, replica, view } = await synced();
  await view.insert({ id: 2, name: "deleted since" });
  await replica.sync();
  hub.copiedAt = hub.time + 1;
  hub.history.rows.delete("customers [2]");
  hub.epoch = "epoch 2";
  await replica.sync();
  assert.equal(hub.row("customers", [2]), null);
  assert.equal((await replica.refused())[0].after.name, "deleted since");
});

test("an app asks for scopes, and learns which of them it has", async () => {
  const { hub, replica } = await synced();
  await replica.subscribe("project/42", { priority: "high" });
  await replica.subscribe("project/43");
  await replica.subscribe("project/9", { timeToLive: 1 });
  hub.unavailable = ["project/43"];
  hub.script = onPages((content) => ({
    ...content, cursor: { ...content.cursor, complete: ["*", "project/42"] },
  }));
  await new Promise((resolve) => { setTimeout(resolve, 5); });
  await replica.sync();
  assert.deepEqual(hub.requests.at(-1).content.scopes,
    [{ scope: "project/42", priority: "high" }, { scope: "project/43" }]);
  assert.deepEqual(await replica.subscriptions(), [
    { scope: "project/42", priority: "high", state: "complete" },
    { scope: "project/43", priority: null, state: "unavailable" },
  ]);
  await replica.unsubscribe("project/43");
  await replica.sync();
  assert.equal(hub.requests.at(-1).content.scopes.length, 1);
  await fails(replica.subscribe(""), "subscriptionInvalid");
  await fails(replica.subscribe("x".repeat(301)), "subscriptionInvalid");
});
