// Random histories against a hub in JavaScript that does what the test tells it: each from a seed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { IndexedDBStore, MemoryStore } from "../moorage.js";
import { copyOf, device } from "./support/device.js";
import { FakeIndexedDB } from "./support/fake-indexeddb.js";
import { FakeChannels, FakeLocks } from "./support/fake-tabs.js";
import { random } from "./support/random.js";
import { ScriptedHub, table } from "./support/scripted-hub.js";

const tables = () => [
  table("folders", { id: "integer!", title: "text!" }),
  table("files", { id: "integer!", folder: "integer", name: "text!", size: "real", body: "blob" }, {
    foreign: [{
      columns: [1], table: "folders", references: ["id"], onDelete: "cascade",
      onUpdate: "noAction", deferrable: false,
    }],
  }),
];

/** Small batches and pages, so that one sync has several of both. */
const limits = {
  batch: { rows: 3, bytes: 1_000_000 }, page: { rows: 2, bytes: 100_000, pages: 2 },
};

let token = 0;

/** One random edit. */
async function edit(replica, next) {
  const name = next(2) === 0 ? "folders" : "files";
  const view = replica.table(name);
  const rows = await view.all();
  const row = rows[next(rows.length || 1)];
  token += 1;
  const text = name === "folders" ? "title" : "name";
  try {
    if (!row || next(3) === 0) {
      const folders = await replica.table("folders").all();
      await view.insert({
        id: 1 + next(40), [text]: `inserted ${token}`,
        ...(name === "files" ? {
          folder: folders[next(folders.length || 1)]?.id ?? null, size: next(100) / 4,
          body: Uint8Array.of(next(256)),
        } : {}),
      });
    } else if (next(4) === 0) {
      await view.delete(row.id);
    } else {
      await view.update(row.id, {
        [text]: `changed ${token}`, ...(name === "files" ? { size: next(100) } : {}),
      });
    }
  } catch (error) {
    // Another tab may have deleted the row meanwhile.
    assert.ok(["unique", "notFound"].includes(error.code), error.stack);
  }
}

async function sync(replica, codes = ["unreachable"]) {
  try {
    await replica.sync();
  } catch (error) {
    assert.ok(codes.includes(error.code), error.stack);
  }
}

/** Rows of the replica as the hub has them. */
async function assertEqualRows(replica, hub, place) {
  for (const { name, columns } of hub.tables) {
    const rows = hub.rows(name).map((values) => Object.fromEntries(columns.map((column, index) => {
      const value = values[index];
      return [column.name, typeof value === "object" && value?.value !== undefined
        ? value.value : value];
    })));
    const sorted = rows.sort((a, b) => a.id - b.id);
    assert.deepEqual(await replica.table(name).all(), sorted, `${place}: ${name}`);
  }
}

async function histories(count, run) {
  const sum = {};
  for (let seed = 1; seed <= count; seed += 1) {
    const hub = new ScriptedHub(tables());
    const figures = await run(seed, random(seed), hub);
    for (const [name, value] of Object.entries(figures)) sum[name] = (sum[name] ?? 0) + value;
  }
  console.log(`${count} histories: ${Object.entries(sum).map(([n, v]) => `${v} ${n}`).join(", ")}`);
  return sum;
}

test("lost answers lose and double nothing", async () => {
  const { lost } = await histories(150, async (seed, next, hub) => {
    let lostAnswers = 0;
    let isCalm = false;
    hub.cut = (size) => {
      if (isCalm || next(2) === 0) return Infinity;
      lostAnswers += 1;
      return next(size + 1);
    };
    const replica = await device(hub, { environment: { limits } });
    for (let step = 0; step < 25; step += 1) {
      if (next(4) === 0) await sync(replica);
      else await edit(replica, next);
    }
    isCalm = true;
    await replica.sync();
    await replica.sync();
    await assertEqualRows(replica, hub, `seed ${seed}`);
    assert.deepEqual(await replica.pending(), []);
    assert.equal(new Set(hub.applied).size, hub.applied.length, `seed ${seed}: applied twice`);
    assert.deepEqual(await replica.refused(), []);
    assert.deepEqual(await replica.conflicts(), []);
    await replica.close();
    return { lost: lostAnswers, changes: hub.applied.length };
  });
  assert.ok(lost > 100);
});

test("two tabs of one browser write and sync at once, and nothing counts twice", async () => {
  const { most } = await histories(60, async (seed, next, hub) => {
    let isCalm = false;
    hub.cut = (size) => (isCalm || next(3) > 0 ? Infinity : next(size + 1));
    const fake = new FakeIndexedDB();
    const [locks, { Channel }] = [new FakeLocks(), new FakeChannels()];
    const open = () => device(hub, {
      store: new IndexedDBStore("tabs", fake.environment),
      environment: { limits, locks, BroadcastChannel: Channel },
    });
    const tabs = [await open(), await open()];
    for (let step = 0; step < 15; step += 1) {
      const place = next(2);
      const kind = next(8);
      // What one tab does while the other one writes.
      const other = edit(tabs[1 - place], next);
      if (kind < 3) await sync(tabs[place]);
      else if (kind === 3) {
        await tabs[place].close();
        tabs[place] = await open();
      } else await edit(tabs[place], next);
      await other;
    }
    isCalm = true;
    await Promise.all(tabs.map((tab) => tab.sync()));
    await tabs[0].sync();
    for (const tab of tabs) await assertEqualRows(tab, hub, `seed ${seed}`);
    assert.deepEqual(await tabs[1].pending(), [], `seed ${seed}`);
    assert.equal(new Set(hub.applied).size, hub.applied.length, `seed ${seed}: applied twice`);
    assert.equal(hub.history.replicas.size, 1, `seed ${seed}: one replica`);
    for (const tab of tabs) await tab.close();
    return { most: hub.most, changes: hub.applied.length };
  });
  assert.equal(most, 60, "one exchange at a time");
});

test("a replica put back from a copy takes another id, and loses nothing that it has", async () => {
  const { forks } = await histories(100, async (seed, next, hub) => {
    hub.wins = "client";
    let store = new MemoryStore();
    let replica = await device(hub, { store, environment: { limits } });
    let backup = copyOf(store);
    for (let step = 0; step < 30; step += 1) {
      const kind = next(12);
      if (kind < 3) await sync(replica);
      else if (kind === 3) backup = copyOf(store);
      else if (kind === 4) {
        await replica.close();
        store = copyOf(backup);
        replica = await device(hub, { store, environment: { limits } });
      } else await edit(replica, next);
    }
    for (let round = 0; round < 3; round += 1) await replica.sync();
    await assertEqualRows(replica, hub, `seed ${seed}`);
    assert.deepEqual(await replica.pending(), [], `seed ${seed}`);
    assert.equal(new Set(hub.applied).size, hub.applied.length, `seed ${seed}: applied twice`);
    await replica.close();
    return { forks: hub.history.replicas.size - 1, changes: hub.applied.length };
  });
  assert.ok(forks > 20);
});

test("a hub that is put back from a backup gets again what it lost", async () => {
  const { epochs } = await histories(100, async (seed, next, hub) => {
    hub.wins = "client";
    const replica = await device(hub, { environment: { limits } });
    let backup = hub.snapshot();
    let count = 0;
    for (let step = 0; step < 30; step += 1) {
      const kind = next(12);
      if (kind < 4) await sync(replica);
      else if (kind === 4) backup = hub.snapshot();
      else if (kind === 5) {
        count += 1;
        hub.restore(backup, `epoch ${count + 1}`);
      } else await edit(replica, next);
    }
    // Nobody else writes, so what the user sees is what the hub must have in the end.
    const names = hub.tables.map(({ name }) => name);
    const seen = await Promise.all(names.map((name) => replica.table(name).all()));
    for (let round = 0; round < 3; round += 1) await replica.sync();
    await assertEqualRows(replica, hub, `seed ${seed}`);
    const left = await Promise.all(names.map((name) => replica.table(name).all()));
    assert.deepEqual(left, seen, `seed ${seed}`);
    assert.deepEqual(await replica.pending(), [], `seed ${seed}`);
    await replica.close();
    return { epochs: count, changes: hub.applied.length };
  });
  assert.ok(epochs > 50);
});

test("an answered edit comes back after a restore, and a row that is gone is listed", async () => {
  const hub = new ScriptedHub(tables());
  hub.wins = "client";
  const replica = await device(hub);
  await replica.table("folders").insert({ id: 1, title: "before" });
  await replica.sync();
  const backup = hub.snapshot();
  hub.put("folders", [2], [2, "by another program"]);
  await replica.table("folders").update(1, { title: "after" });
  await replica.table("folders").insert({ id: 3, title: "new" });
  await replica.sync();
  assert.equal((await replica.table("folders").all()).length, 3);
  hub.restore(backup, "epoch 2");
  await replica.sync();
  assert.deepEqual(hub.row("folders", [1]), [1, "after"]);
  assert.deepEqual(hub.row("folders", [3]), [3, "new"]);
  assert.equal(await replica.table("folders").get(2), null);
  const [entry] = await replica.refused();
  assert.equal(entry.code, "recovered");
  assert.deepEqual(entry.after, { id: 2, title: "by another program" });
  await replica.retry(entry);
  await replica.sync();
  assert.deepEqual(hub.row("folders", [2]), [2, "by another program"]);
  assert.deepEqual(await replica.refused(), []);
});

test("refused changes are listed with their values, and rows are as the hub has them", async () => {
  const { refused } = await histories(150, async (seed, next, hub) => {
    let isStrict = true;
    const asked = new Map();
    hub.refuse = (name, change, columns) => {
      if (!isStrict || change.refetch || next(3) > 0) return undefined;
      const values = change.insert ?? (change.update ?? []).map(([, , now]) => now);
      for (const value of values) {
        if (typeof value === "string") asked.set(value, `${name} ${columns.length}`);
      }
      return ["check", "The check says no."];
    };
    let isCalm = false;
    hub.cut = (size) => (isCalm || next(4) > 0 ? Infinity : next(size + 1));
    const replica = await device(hub, { environment: { limits } });
    for (let step = 0; step < 30; step += 1) {
      if (next(4) === 0) await sync(replica);
      else await edit(replica, next);
    }
    isCalm = true;
    isStrict = false;
    for (let round = 0; round < 3; round += 1) await replica.sync();
    await assertEqualRows(replica, hub, `seed ${seed}`);
    assert.deepEqual(await replica.pending(), [], `seed ${seed}`);
    const list = await replica.refused();
    const listed = new Set(list.flatMap(({ after }) => Object.values(after ?? {})));
    for (const value of asked.keys()) {
      assert.ok(listed.has(value), `seed ${seed}: ${value} was refused and is not listed`);
    }
    for (const entry of list) await replica.dismiss(entry);
    assert.deepEqual(await replica.refused(), []);
    await replica.close();
    return { refused: list.length, changes: hub.applied.length };
  });
  assert.ok(refused > 300);
});
