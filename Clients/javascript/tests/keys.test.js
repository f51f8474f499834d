// Keys of several columns, in the order of the app and in that of the hub.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fails, onPages } from "./support/customers.js";
import { device } from "./support/device.js";
import { ScriptedHub, table } from "./support/scripted-hub.js";

const SEATS = { row: "integer!", seat: "integer!", guest: "text" };
const seats = (key) => table("seats", SEATS, { key });
const OWN = { seats: { key: ["row", "seat"] } };

/** A hub whose key is (seat, row), with two rows. */
function swappedHub() {
  const hub = new ScriptedHub([seats([1, 0])]);
  hub.set("seats", [2, 1], [1, 2, "Ada"]);
  hub.set("seats", [1, 2], [2, 1, "Ben"]);
  return hub;
}

test("a key as an array is in the order of the app's list, before and after contact", async () => {
  const hub = swappedHub();
  const replica = await device(hub, { tables: OWN });
  const view = replica.table("seats");
  await view.insert({ row: 3, seat: 4, guest: "Cleo" });
  await view.insert({ row: 5, seat: 6, guest: "nobody" });
  await view.delete([5, 6]);
  assert.equal((await view.get([3, 4])).guest, "Cleo");
  await replica.sync();
  assert.equal((await view.get([3, 4])).guest, "Cleo");
  assert.equal((await view.get([1, 2])).guest, "Ada");
  assert.equal((await view.get({ seat: 2, row: 1 })).guest, "Ada");
  assert.deepEqual((await view.all()).map(({ guest }) => guest), ["Ada", "Ben", "Cleo"]);
  await view.update([1, 2], { guest: "Ava" });
  assert.deepEqual((await replica.pending()).map(({ key }) => key), [[1, 2]]);
  hub.refuse = () => ["check", "No."];
  await replica.sync();
  const [entry] = await replica.refused();
  assert.deepEqual(entry.key, [1, 2]);
  hub.refuse = () => undefined;
  await replica.retry(entry);
  await replica.sync();
  assert.deepEqual(hub.row("seats", [2, 1]), [1, 2, "Ava"]);
  assert.equal(hub.row("seats", [6, 5]), null);
  hub.set("seats", [7, 8], [8, 7, "new"]);
  assert.deepEqual(
    (await replica.verify("seats")).map(({ key, kind }) => [key, kind]), [[[8, 7], "missingHere"]]);
});

test("a key whose order changes at the hub keeps rows, edits and lists", async () => {
  const hub = new ScriptedHub([seats([0, 1])]);
  hub.set("seats", [1, 2], [1, 2, "Ada"]);
  hub.set("seats", [2, 1], [2, 1, "Ben"]);
  const replica = await device(hub, { tables: { seats: {} } });
  await replica.sync();
  const view = replica.table("seats");
  hub.refuse = () => ["check", "No."];
  await view.update([1, 2], { guest: "refused" });
  await replica.sync();
  hub.refuse = () => undefined;
  await view.update([1, 2], { guest: "in flight" });
  hub.cut = () => 0;
  const { push } = hub;
  hub.push = (id, { number }) => ({ number, status: "notTaken", list: [] });
  await fails(replica.sync(), "unreachable");
  hub.cut = () => Infinity;
  await view.delete([2, 1]);
  await view.insert({ row: 9, seat: 8 });
  await view.delete([9, 8]);
  hub.tables = [seats([1, 0])];
  hub.history.rows.clear();
  hub.set("seats", [2, 1], [1, 2, "Ada"]);
  hub.set("seats", [1, 2], [2, 1, "Ben"]);
  hub.script = (frames) => {
    hub.push = push;
    return frames;
  };
  await replica.sync();
  assert.deepEqual(hub.rows("seats"), [[1, 2, "in flight"]]);
  assert.deepEqual(await view.all(), [{ row: 1, seat: 2, guest: "in flight" }]);
  const { batch } = hub.requests.findLast(({ content }) => content?.batch).content;
  const { changes } = JSON.parse(batch);
  assert.deepEqual(changes.map(({ key }) => key).sort(), [[1, 2], [2, 1], [8, 9]]);
  // Without a list, arrays have the hub's order.
  const [entry] = await replica.refused();
  assert.deepEqual(entry.key, [2, 1]);
  assert.deepEqual(await replica.verify("seats"), []);
});

test("a key of another length breaks the protocol", async () => {
  const hub = swappedHub();
  const replica = await device(hub, { tables: OWN });
  for (const part of [
    { withheld: [{ row: { table: "seats", key: [1] }, column: "guest", reason: "x" }] },
    { removals: [{ table: "seats", keys: [[1, 2, 3]] }] },
  ]) {
    hub.script = onPages((content) => ({ ...content, ...part }));
    await fails(replica.sync(), "protocolViolation");
  }
  hub.script = (frames) => frames;
  await replica.sync();
  assert.deepEqual(await replica.withheld(), []);
});
