// What a replica does with the answer to its changes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { customers, newHub, onPages, synced } from "./support/customers.js";
import { device } from "./support/device.js";
import { table } from "./support/scripted-hub.js";

test("a refused edit gives the row back, and later edits begin with the hub's", async () => {
  const { hub, replica, view } = await synced();
  hub.refuse = (name, change) => (change.update?.some(([, , now]) => now === "bad")
    ? ["check", "The check says no."] : undefined);
  await view.update(1, { city: "bad" });
  hub.intercept = async (path, content) => {
    if (!content?.batch) return;
    hub.intercept = async () => undefined;
    await view.update(1, { city: "good" });
  };
  await replica.sync();
  assert.deepEqual(hub.row("customers", [1]), [1, "Ann", "good"]);
  const [entry] = await replica.refused();
  assert.deepEqual([entry.code, entry.before, entry.after, entry.key],
    ["check", { city: "Lyon" }, { city: "bad" }, [1]]);
  assert.deepEqual(await replica.conflicts(), []);
  await view.update(1, { city: "bad" });
  await replica.sync();
  assert.equal((await view.get(1)).city, "good");
  hub.refuse = () => undefined;
  await replica.retry((await replica.refused())[1]);
  await replica.sync();
  assert.deepEqual(hub.row("customers", [1]), [1, "Ann", "bad"]);
  assert.equal((await replica.refused()).length, 1);
});

test("a refused insert leaves the device, and stays an insert if it was edited", async () => {
  const { hub, replica, view } = await synced();
  hub.refuse = (name, change) => (change.insert?.includes("bad")
    ? ["unique", "Another row has it."] : undefined);
  await view.insert({ id: 5, name: "bad" });
  await replica.sync();
  assert.equal(await view.get(5), null);
  await view.insert({ id: 6, name: "bad" });
  hub.intercept = async (path, content) => {
    if (!content?.batch) return;
    hub.intercept = async () => undefined;
    await view.update(6, { name: "good" });
  };
  await replica.sync();
  assert.deepEqual(hub.row("customers", [6]), [6, "good", null]);
  hub.refuse = () => undefined;
  await replica.retry((await replica.refused())[0]);
  await replica.sync();
  assert.deepEqual(hub.row("customers", [5]), [5, "bad", null]);
});

test("a group that was refused is written again as a whole", async () => {
  const { hub, replica, view } = await synced();
  hub.refuse = () => ["group", "Another change of its group was not taken."];
  await replica.write(async (tx) => {
    await tx.table("customers").insert({ id: 2, name: "one" });
    await tx.table("customers").update(1, { city: "Nice" });
  }, { together: true });
  await replica.sync();
  assert.deepEqual(await view.all(), [{ id: 1, name: "Ann", city: "Lyon" }]);
  const list = await replica.refused();
  assert.equal(list.length, 2);
  hub.refuse = () => undefined;
  await replica.retry(list[0]);
  assert.deepEqual(await replica.refused(), []);
  await replica.sync();
  const groups = JSON.parse(hub.requests.at(-1).text).batch.changes.map(({ group }) => group);
  assert.deepEqual(groups, [1, 1]);
  assert.deepEqual(hub.row("customers", [1]), [1, "Ann", "Nice"]);
  assert.deepEqual(hub.row("customers", [2]), [2, "one", null]);
  // A decision about an entry that is off the list does nothing.
  await replica.retry(list[0]);
  assert.deepEqual(await replica.pending(), []);
});

test("a refused delete brings the row back", async () => {
  const { hub, replica, view } = await synced();
  hub.refuse = (name, change) => (change.delete ? ["foreignKey", "Rows refer to it."] : undefined);
  await view.delete(1);
  assert.equal(await view.get(1), null);
  await replica.sync();
  assert.deepEqual(await view.get(1), { id: 1, name: "Ann", city: "Lyon" });
  const [entry] = await replica.refused();
  assert.deepEqual([entry.kind, entry.before], ["delete", { id: 1, name: "Ann", city: "Lyon" }]);
});

test("a change that lost is listed with both sides, and can be written again", async () => {
  const { hub, replica, view } = await synced();
  await view.update(1, { city: "Nice", name: "Anna" });
  hub.put("customers", [1], [1, "Ann", "Paris"]);
  await replica.sync();
  assert.deepEqual(await view.get(1), { id: 1, name: "Anna", city: "Paris" });
  const [conflict] = await replica.conflicts();
  assert.deepEqual(
    [conflict.kind, conflict.base, conflict.mine, conflict.theirs, conflict.rule],
    ["update", { city: "Lyon" }, { city: "Nice" }, { city: "Paris" }, "server"]);
  await replica.reapply(conflict);
  assert.deepEqual(await replica.conflicts(), []);
  await replica.sync();
  assert.deepEqual(hub.row("customers", [1]), [1, "Anna", "Nice"]);
  await view.update(1, { city: "Rome" });
  hub.put("customers", [1], [1, "Anna", "Oslo"]);
  await replica.sync();
  await replica.dismiss((await replica.conflicts())[0]);
  assert.deepEqual(await replica.conflicts(), []);
});

test("an update of a row that is to come back goes up whole", async () => {
  const { hub, replica, view } = await synced();
  hub.set("customers", [1], null);
  hub.refuse = (name, change) => (change.update ? ["resurrect", "Send it whole."] : undefined);
  await view.update(1, { city: "Nice" });
  hub.script = onPages((content) => ({ ...content, removals: [] }));
  await replica.sync();
  assert.deepEqual(hub.row("customers", [1]), [1, "Ann", "Nice"]);
  assert.deepEqual(await replica.refused(), []);
});

test("what the hub stored with another value is what later edits begin with", async () => {
  const { hub, replica, view } = await synced();
  const apply = hub.apply.bind(hub);
  hub.apply = (batch, change) => {
    const outcome = apply(batch, change);
    if (change.update?.[0]?.[2] !== "nice") return outcome;
    hub.set("customers", [1], [1, "Ann", "NICE"]);
    return { is: "applied", stored: [[2, "NICE"]] };
  };
  await view.update(1, { city: "nice" });
  hub.intercept = async (path, content) => {
    if (!content?.batch) return;
    hub.intercept = async () => undefined;
    await view.update(1, { city: "Rome" });
  };
  await replica.sync();
  assert.deepEqual(hub.row("customers", [1]), [1, "Ann", "Rome"]);
  assert.deepEqual(await replica.conflicts(), []);
});

test("a row that got another key takes along what refers to it", async () => {
  const hub = newHub(
    customers(),
    table("orders", { id: "integer!", customer: "integer" }, {
      foreign: [{ columns: [1], table: "customers", references: ["id"], onDelete: "noAction",
        onUpdate: "noAction", deferrable: false }],
    }));
  const replica = await device(hub);
  await replica.sync();
  const apply = hub.apply.bind(hub);
  hub.apply = (batch, change) => {
    if (change.insert?.[1] !== "mine") return apply(batch, change);
    hub.set("customers", [41], [41, "mine", null]);
    return { is: "merged", stored: [[0, 41]], lost: { rule: "keepBoth" } };
  };
  hub.set("customers", [40], [40, "theirs", null]);
  await replica.table("customers").insert({ id: 40, name: "mine" });
  hub.intercept = async (path, content) => {
    if (!content?.batch) return;
    hub.intercept = async () => undefined;
    await replica.table("orders").insert({ id: 1, customer: 40 });
    await replica.table("customers").update(40, { city: "Nice" });
  };
  hub.script = onPages((content) => ({ ...content, removals: [] }));
  await replica.sync();
  await replica.sync();
  assert.deepEqual(await replica.table("customers").all(), [
    { id: 40, name: "theirs", city: null }, { id: 41, name: "mine", city: "Nice" },
  ]);
  assert.deepEqual(hub.row("orders", [1]), [1, 41]);
  assert.deepEqual(hub.row("customers", [41]), [41, "mine", "Nice"]);
});
