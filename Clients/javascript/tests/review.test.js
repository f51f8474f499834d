// What a person decides about the lists.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore } from "../moorage.js";
import { fails, newHub, onFrames, synced } from "./support/customers.js";
import { device } from "./support/device.js";

const answersWith = (outcome) => onFrames(
  "outcomes", (content) => ({ ...content, list: [outcome] }));

test("what the hub kept anyway is not written again, over a newer value", async () => {
  const { hub, replica, view } = await synced();
  await view.update(1, { city: "Nice" });
  hub.put("customers", [1], [1, "Ann", "Rom"]);
  await replica.sync();
  const [entry] = await replica.conflicts();
  hub.put("customers", [1], [1, "Ann", "the newest"]);
  await replica.sync();
  await replica.keepTheirs(entry);
  await replica.sync();
  assert.deepEqual(hub.row("customers", [1]), [1, "Ann", "the newest"]);
  assert.equal((await view.get(1)).city, "the newest");
  assert.deepEqual(await replica.conflicts(), []);
});

test("what the merge left out of the other side is written", async () => {
  const { hub, replica, view } = await synced();
  hub.wins = "client";
  await view.update(1, { city: "Nice", name: "Anna" });
  hub.put("customers", [1], [1, "Anne", "Rom"]);
  hub.script = answersWith({
    is: "merged", stored: [],
    lost: { rule: "x", theirs: [[1, "Anne"], [2, "Rom"]], result: [[1, "Anne"], [2, "Nice"]] },
  });
  await replica.sync();
  hub.script = (frames) => frames;
  const [entry] = await replica.conflicts();
  hub.put("customers", [1], [1, "newer", "Nice"]);
  await replica.sync();
  await replica.keepTheirs(entry);
  await replica.sync();
  assert.deepEqual(hub.row("customers", [1]), [1, "newer", "Rom"]);
});

test("a row that somebody inserted since stays where both sides had deleted it", async () => {
  const { hub, replica } = await synced();
  hub.script = answersWith({ is: "overruled", stored: [], lost: { rule: "server" } });
  await replica.table("customers").update(1, { city: "Nice" });
  await replica.sync();
  hub.script = (frames) => frames;
  const [entry] = await replica.conflicts();
  assert.deepEqual([entry.theirs, entry.result], [null, null]);
  hub.put("customers", [1], [1, "new", "Rom"]);
  await replica.sync();
  await replica.keepTheirs(entry);
  await replica.sync();
  assert.deepEqual(hub.row("customers", [1]), [1, "new", "Rom"]);
});

test("a retry of what has no column any more keeps the entry", async () => {
  const store = new MemoryStore();
  const { hub, replica, view } = await synced(newHub(), { store });
  await view.update(1, { city: "precious" });
  await replica.close();
  const less = await device(hub, {
    store, tables: { customers: { key: ["id"], columns: ["id", "name"] } },
  });
  const [entry] = await less.refused();
  await fails(less.retry(entry), "resubmitBlocked");
  assert.equal((await less.refused()).length, 1);
  await less.dismiss(entry);
  assert.deepEqual(await less.refused(), []);
});
