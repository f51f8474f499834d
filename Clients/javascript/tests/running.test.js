// Start, stop and what the app's own functions do to them.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { fails, synced } from "./support/customers.js";
import { eventually, turns } from "./support/device.js";
import { bodies, newHub, running } from "./support/notes.js";
import { refusal } from "./support/scripted-hub.js";

test("a token that never comes keeps nothing from ending", async () => {
  const hub = newHub();
  hub.heartbeat = 60_000;
  let asked = 0;
  const replica = await running(hub, {
    token: () => {
      asked += 1;
      return new Promise(() => {});
    },
  });
  replica.start();
  await eventually(() => asked > 0);
  await replica.stop();
  await replica.deleteEverything();
  assert.equal(replica.status.phase, "stopped");
});

test("a token has two minutes to come", async () => {
  const hub = newHub();
  const replica = await running(hub, { token: () => new Promise(() => {}) });
  mock.timers.enable({ apis: ["setTimeout"] });
  const sync = replica.sync();
  sync.catch(() => {});
  await turns();
  mock.timers.tick(120_000);
  await fails(sync, "unreachable");
});

test("a start right after a stop goes on", async () => {
  const hub = newHub();
  hub.heartbeat = 60_000;
  const replica = await running(hub);
  replica.start();
  await eventually(() => replica.status.phase === "live");
  const stopped = replica.stop();
  replica.start();
  await stopped;
  await eventually(() => replica.status.phase === "live");
  await replica.table("notes").insert({ id: 1, body: "goes up" });
  await eventually(() => hub.row("notes", [1]));
  assert.equal(hub.most, 1);
  await replica.stop();
  assert.equal(replica.status.phase, "stopped");
});

const failures = [];
globalThis.reportError = (error) => { failures.push(error.message); };

for (const [what, willWipe] of [
  ["fails", () => { throw new Error("no export"); }],
  ["never ends", () => new Promise(() => {})],
]) {
  test(`an order to wipe is carried out where the app's function ${what}`, async () => {
    const { hub, replica, view } = await synced(undefined, { willWipe });
    hub.intercept = async () => refusal("replicaWiped", 403);
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      replica.start();
      await turns();
      mock.timers.tick(120_000);
      await turns();
    } finally {
      mock.timers.reset();
    }
    await eventually(() => replica.status.phase === "ended");
    assert.equal(replica.status.error.code, "replicaWiped");
    assert.deepEqual(await view.all(), []);
    await replica.stop();
    await replica.close();
  });
}

test("what went wrong in the app's function is told", () => assert.deepEqual(failures, [
  "no export", "willWipe took longer than 120 s. The replica deletes everything now.",
]));

test("a sync ends with the reason of its signal", async () => {
  const hub = newHub();
  const replica = await running(hub);
  for (const reason of [new DOMException("late", "TimeoutError"), new Error("by the app")]) {
    const ending = new AbortController();
    // Between two exchanges.
    hub.script = (frames) => {
      ending.abort(reason);
      return frames.map(({ kind, content }) =>
        ({ kind, content: kind === "end" ? { ...content, more: true } : content }));
    };
    await assert.rejects(replica.sync({ signal: ending.signal }), (error) => error === reason);
  }
  assert.equal(replica.status.error, null);
  assert.equal(await bodies(replica), "");
});

test("a replica whose last page was dropped is not caught up", async () => {
  for (const heartbeat of [null, 60_000]) {
    const hub = newHub();
    hub.heartbeat = heartbeat;
    const replica = await running(hub, { live: heartbeat !== null });
    await replica.sync();
    assert.equal(replica.status.isCaughtUp, true);
    hub.set("notes", [1], [1, "one"]);
    let dropped = 0;
    hub.script = (frames) => frames.map(({ kind, content }) => {
      if (kind === "page") dropped += 1;
      return {
        kind, content: kind === "page"
          ? { ...content, since: { ...content.since, epoch: "another" } } : content,
      };
    });
    replica.start();
    await eventually(() => dropped > 2);
    assert.equal(replica.status.isCaughtUp, false);
    hub.script = (frames) => frames;
    await eventually(async () => await bodies(replica) === "one");
    await eventually(() => replica.status.isCaughtUp);
    await replica.stop();
  }
});
