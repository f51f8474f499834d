// Columns that leave the app's list or the hub, and come back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore } from "../moorage.js";
import { customers, fails, newHub, synced } from "./support/customers.js";
import { device } from "./support/device.js";

const LESS = { customers: { key: ["id"], columns: ["id", "name"] } };
const onlyWelcome = (frames) => frames.slice(0, 1);

test("a column that leaves the list and comes back is read again", async () => {
  const store = new MemoryStore();
  const hub = newHub();
  hub.put("customers", [2], [2, "Ben", "Rom"]);
  const { replica, view } = await synced(hub, { store });
  await view.update(2, { city: "Nice" });
  await replica.close();
  // A version of the app that never reached the hub.
  const less = await device(hub, { store, tables: LESS });
  assert.deepEqual(await less.table("customers").get(1), { id: 1, name: "Ann" });
  await less.close();
  const again = await device(hub, { store });
  assert.equal((await again.table("customers").get(1)).city, null);
  await again.sync();
  assert.equal((await again.table("customers").get(1)).city, "Lyon");
  assert.deepEqual(await again.verify("customers"), []);
  // The edit is on the list, and can be made again.
  const [entry] = await again.refused();
  assert.deepEqual([entry.code, entry.after], ["unknownColumn", { city: "Nice" }]);
  await again.retry(entry);
  await again.sync();
  assert.deepEqual(hub.row("customers", [2]), [2, "Ben", "Nice"]);
});

test("a column that the hub leaves out for a moment is read again", async () => {
  const { hub, replica, view } = await synced();
  hub.tables = [customers({ id: "integer!", name: "text!" })];
  hub.script = onlyWelcome;
  await fails(replica.sync(), "unreachable");
  assert.deepEqual(await view.get(1), { id: 1, name: "Ann" });
  hub.tables = [customers()];
  await fails(replica.sync(), "unreachable");
  hub.script = (frames) => frames;
  await replica.sync();
  assert.equal((await view.get(1)).city, "Lyon");
  assert.equal(replica.status.isCaughtUp, true);
});

test("a column that comes back in the middle of a scan is read from the start", async () => {
  const hub = newHub();
  const store = new MemoryStore();
  const limits = { page: { rows: 2, bytes: 2_000_000, pages: 1 } };
  const options = { store, environment: { limits } };
  for (let id = 1; id <= 6; id += 1) hub.set("customers", [id], [id, `n${id}`, `c${id}`]);
  const first = await device(hub, options);
  // Two pages arrive, and then the connection is gone.
  let pages = 0;
  hub.script = (frames) => {
    pages += frames.filter(({ kind }) => kind === "page").length;
    return pages > 2 ? onlyWelcome(frames) : frames;
  };
  await fails(first.sync(), "unreachable");
  await first.close();
  const less = await device(hub, { ...options, tables: LESS });
  await less.close();
  hub.script = (frames) => frames;
  const again = await device(hub, options);
  const asked = hub.requests.length;
  await again.sync();
  const { cursor } = hub.requests[asked].content;
  assert.deepEqual([cursor.scan, cursor.brokenOff], [undefined, "6"]);
  const cities = (await again.table("customers").all()).map(({ city }) => city);
  assert.deepEqual(cities, ["c1", "c2", "c3", "c4", "c5", "c6"]);
  assert.deepEqual(await again.refused(), []);
});

test("an app that lists another name for a column reads nothing again", async () => {
  const hub = newHub();
  hub.tables[0].columns[2].aliases = ["town"];
  const store = new MemoryStore();
  await (await synced(hub, { store })).replica.close();
  const columns = ["id", "name", "town"];
  const replica = await device(hub, { store, tables: { customers: { key: ["id"], columns } } });
  hub.script = onlyWelcome;
  await fails(replica.sync(), "unreachable");
  assert.notEqual(hub.requests.at(-1).content.cursor.tables.customers, "");
});

const MOOD = { id: "integer!", name: "text!", city: "text", mood: "text" };

/** The hub gets a column, and the replica hears of it, but no page brings it. */
async function unread(hub, replica) {
  hub.tables = [customers(MOOD)];
  for (const row of hub.history.rows.values()) row.values = [...row.values, null];
  hub.script = onlyWelcome;
  await fails(replica.sync(), "unreachable");
  hub.script = (frames) => frames;
}

test("a row that is inserted again keeps its value in a column that no page brought", async () => {
  const { hub, replica, view } = await synced();
  await unread(hub, replica);
  await view.delete(1);
  await view.insert({ id: 1, name: "again", mood: "glad" });
  await replica.sync();
  assert.equal((await view.get(1)).mood, "glad");
  assert.deepEqual(hub.row("customers", [1]), [1, "again", null, "glad"]);
});

test("so does one that was deleted before the column came", async () => {
  const { hub, replica, view } = await synced();
  hub.suspended = [{ name: "customers", reason: "For a moment." }];
  await replica.sync();
  await view.delete(1);
  await unread(hub, replica);
  hub.suspended = [];
  await view.insert({ id: 1, name: "again", mood: "glad" });
  await replica.sync();
  await replica.sync();
  assert.equal((await view.get(1)).mood, "glad");
  assert.deepEqual(hub.row("customers", [1]), [1, "again", null, "glad"]);
});

test("and one whose delete was sent and not taken", async () => {
  const { hub, replica, view } = await synced();
  await view.delete(1);
  hub.cut = () => 0;
  const { push } = hub;
  hub.push = (id, { number }) => ({ number, status: "notTaken", list: [] });
  await fails(replica.sync(), "unreachable");
  hub.cut = () => Infinity;
  hub.tables = [customers(MOOD)];
  hub.history.rows.get("customers [1]").values.push(null);
  hub.script = onlyWelcome;
  await fails(replica.sync(), "unreachable");
  await view.insert({ id: 1, name: "again", mood: "glad" });
  hub.script = (frames) => {
    hub.push = push;
    return frames;
  };
  await replica.sync();
  assert.equal((await view.get(1)).mood, "glad");
  assert.deepEqual(hub.row("customers", [1]), [1, "again", null, "glad"]);
});
