// Answers that come late, and exchanges at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { IndexedDBStore, MemoryStore } from "../moorage.js";
import { device, eventually, turns } from "./support/device.js";
import { FakeIndexedDB } from "./support/fake-indexeddb.js";
import { bodies, FAST, newHub, running } from "./support/notes.js";

function gate() {
  let open;
  const opened = new Promise((resolve) => { open = resolve; });
  return { open, opened };
}

/** Delays answers: the one with the number `n` waits for `gates[n]`. */
function delayAnswers(hub) {
  const gates = [];
  const exchange = hub.exchange.bind(hub);
  let count = 0;
  hub.exchange = async (request, signal) => {
    const mine = gates[count];
    count += 1;
    const answer = await exchange(request, signal);
    await mine?.opened;
    return answer;
  };
  return gates;
}

test("a late answer to a batch that was put back answers no other batch", async () => {
  const hub = newHub();
  hub.put("notes", [1], [1, "start"]);
  // Two processes that share a store have no lock between them.
  const store = new MemoryStore();
  const [one, other] = [await device(hub, { store }), await device(hub, { store })];
  await one.sync();
  const view = one.table("notes");
  await view.update(1, { body: "first" });
  let refusals = 2;
  const push = hub.push.bind(hub);
  hub.push = (replica, batch) => {
    refusals -= 1;
    return refusals < 0
      ? push(replica, batch) : { number: batch.number, status: "notTaken", list: [] };
  };
  const gates = delayAnswers(hub);
  [gates[1], gates[2], gates[3]] = [gate(), gate(), gate()];
  const first = one.sync();
  const second = other.sync();
  // The first was not taken, sends the change again, and waits for that answer.
  await eventually(() => hub.row("notes", [1])[1] === "first");
  await view.update(1, { body: "second" });
  gates[1].open();
  await turns(200);
  gates[2].open();
  await turns(200);
  gates[3].open();
  for (const sync of [first, second]) await sync.catch(() => {});
  await one.sync();
  await one.sync();
  assert.equal((await view.get(1)).body, "second");
  assert.deepEqual(hub.row("notes", [1]), [1, "second"]);
  assert.deepEqual(await one.refused(), []);
});

for (const [means, newStore] of [
  ["memory", () => new MemoryStore()],
  ["a lease", () => new IndexedDBStore("one", new FakeIndexedDB().environment)],
]) {
  test(`with ${means}, a page has one exchange at a time`, async () => {
    const hub = newHub();
    hub.heartbeat = 60_000;
    const replica = await running(hub, { store: newStore() });
    await replica.table("notes").insert({ id: 1, body: "one" });
    const syncs = [replica.sync(), replica.sync()];
    replica.start();
    await Promise.all([...syncs, replica.sync()]);
    await eventually(() => replica.status.phase === "live");
    assert.equal(hub.most, 1);
    assert.equal(await bodies(replica), "one");
  });
}

test("a sync that waits for another one can be aborted", async () => {
  const hub = newHub();
  const gates = delayAnswers(hub);
  gates[0] = gate();
  const replica = await running(hub);
  const first = replica.sync();
  await eventually(() => hub.requests.length > 1);
  const ending = new AbortController();
  const second = replica.sync({ signal: ending.signal });
  await turns();
  ending.abort();
  await assert.rejects(second, { name: "AbortError" });
  gates[0].open();
  assert.equal((await first).isCaughtUp, true);
});

test("a lease stays while another work of the same tab has it", async () => {
  const hub = newHub();
  hub.heartbeat = 60_000;
  const fake = new FakeIndexedDB();
  const open = () => running(hub, {
    store: new IndexedDBStore("leased", fake.environment),
    environment: { pace: { ...FAST, pullInterval: 3_600_000 } },
  });
  const one = await open();
  const gates = delayAnswers(hub);
  gates[0] = gate();
  const sync = one.sync();
  await eventually(() => hub.requests.length > 1);
  one.start();
  await turns(200);
  gates[0].open();
  await sync;
  await eventually(() => one.status.phase === "live");
  await turns(200);
  const lease = await new Promise((resolve) => {
    const store = new IndexedDBStore("leased", fake.environment);
    store.open().then(() => store.read((tx) => tx.get("meta", "", "lease"))).then(resolve);
  });
  assert.ok(lease);
});
