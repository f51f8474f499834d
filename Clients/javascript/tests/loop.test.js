// The loop of a replica: live streams, waits, back-off.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { MoorageError } from "../src/errors.js";
import { PACE, RetryPacing } from "../src/pacing.js";
import { eventually, turns } from "./support/device.js";
import { bodies, exchanges, FAST, newHub, running } from "./support/notes.js";
import { refusal } from "./support/scripted-hub.js";

test("a live stream brings what others commit, and takes what is committed here", async () => {
  const hub = newHub();
  hub.heartbeat = 60_000;
  const replica = await running(hub);
  replica.start();
  await eventually(() => replica.status.phase === "live");
  assert.equal(replica.status.isCaughtUp, true);
  hub.put("notes", [1], [1, "from the hub"]);
  await eventually(async () => await bodies(replica) === "from the hub");
  const count = exchanges(hub).length;
  await replica.table("notes").insert({ id: 2, body: "from here" });
  assert.equal(exchanges(hub).length, count);
  await eventually(() => hub.row("notes", [2]));
  await eventually(() => replica.status.isCaughtUp && hub.streams.size === 1);
  hub.put("notes", [3], [3, "again"]);
  await eventually(async () => await bodies(replica) === "from the hub,from here,again");
  assert.equal(hub.most, 1);
  await replica.stop();
  assert.equal(replica.status.phase, "stopped");
  assert.equal(hub.streams.size, 0);
});

test("commits that follow each other go up together", async () => {
  const hub = newHub();
  hub.heartbeat = 60_000;
  const replica = await running(hub, { environment: { pace: { ...FAST, pushDelay: 1_000 } } });
  replica.start();
  await eventually(() => replica.status.phase === "live");
  for (let id = 1; id <= 30; id += 1) await replica.table("notes").insert({ id, body: "many" });
  await eventually(() => hub.rows("notes").length === 30);
  const batches = exchanges(hub).filter(({ content }) => content.batch);
  assert.ok(batches.length <= 4, `${batches.length} batches`);
});

test("a sync of the app comes in between, and the stream goes on", async () => {
  const hub = newHub();
  hub.heartbeat = 60_000;
  const replica = await running(hub);
  replica.start();
  await eventually(() => replica.status.phase === "live");
  const summary = await replica.sync();
  assert.equal(summary.isCaughtUp, true);
  await eventually(() => hub.streams.size === 1);
  assert.equal(hub.most, 1);
});

test("a hub that is silent for longer than it announced is asked again", async () => {
  const hub = newHub();
  hub.heartbeat = 20;
  const replica = await running(hub);
  const errors = [];
  replica.addEventListener("statuschange", () => errors.push(replica.status.error?.code));
  replica.start();
  await eventually(() => exchanges(hub).filter(({ content }) => content.live).length >= 2);
  assert.ok(errors.includes("unreachable"));
  hub.put("notes", [1], [1, "in between"]);
  await eventually(async () => await bodies(replica) === "in between");
});

test("signs of life keep a stream open", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const hub = newHub();
  hub.heartbeat = 1_000;
  const replica = await running(hub, { environment: { pace: PACE } });
  replica.start();
  await eventually(() => replica.status.phase === "live");
  const count = exchanges(hub).length;
  for (let beat = 0; beat < 20; beat += 1) {
    mock.timers.tick(1_500);
    await turns();
    for (const stream of hub.streams) {
      hub.send(stream, { kind: "alive", content: { time: hub.time } });
    }
    await turns();
  }
  assert.equal(exchanges(hub).length, count);
  assert.equal(hub.streams.size, 1);
});

test("where no stream is granted, the replica pulls by interval", async () => {
  const hub = newHub();
  const replica = await running(hub);
  replica.start();
  await eventually(() => replica.status.phase === "waiting");
  hub.put("notes", [1], [1, "later"]);
  await eventually(async () => await bodies(replica) === "later");
  await replica.table("notes").insert({ id: 2, body: "sent" });
  await eventually(() => hub.row("notes", [2]));
  await replica.stop();
  const plain = await running(hub, { live: false });
  const count = exchanges(hub).length;
  plain.start();
  await eventually(() => exchanges(hub).length > count + 1);
  assert.ok(!exchanges(hub).slice(count).some(({ content }) => content.live));
});

test("after a stream's end the replica exchanges again, and pauses where asked", async () => {
  const hub = newHub();
  hub.heartbeat = 60_000;
  const replica = await running(hub);
  replica.start();
  await eventually(() => hub.streams.size === 1);
  hub.end({ more: true });
  await eventually(() => hub.streams.size === 1);
  mock.timers.enable({ apis: ["setTimeout"] });
  hub.end({ more: false, wait: 50_000 });
  await turns();
  mock.timers.tick(49_999);
  await turns();
  assert.equal(hub.streams.size, 0);
  mock.timers.tick(1);
  await eventually(() => hub.streams.size === 1);
});

test("failures wait twice as long each time, with jitter, and never less than the hub asks", () => {
  const failed = new MoorageError("unreachable", "");
  const delays = (chance, count) => {
    const pacing = new RetryPacing(PACE, () => chance);
    return Array.from({ length: count }, () => {
      pacing.failed(failed, 0);
      return pacing.nextTry;
    });
  };
  assert.deepEqual(delays(0.5, 5), [1_000, 2_000, 4_000, 8_000, 16_000]);
  assert.deepEqual(delays(0, 2), [800, 1_600]);
  assert.equal(delays(0.5, 12).at(-1), 300_000);
  const pacing = new RetryPacing(PACE, () => 0.5);
  pacing.failed(new MoorageError("busy", "", { retryAfter: 60_000 }), 0);
  assert.equal(pacing.nextTry, 60_000);
  // A commit does not bring the try nearer than the hub asked for.
  pacing.woken(true);
  assert.equal(pacing.nextTry, 60_000);
  for (let tries = 0; tries < 6; tries += 1) pacing.failed(failed, 100_000);
  pacing.woken(false);
  assert.equal(pacing.nextTry, 101_000);
  pacing.failed(new MoorageError("clientTooOld", ""), 0);
  pacing.woken(false);
  assert.equal(pacing.nextTry, 3_600_000);
  assert.equal(pacing.needsUpdate, true);
  pacing.succeeded();
  assert.equal(pacing.left(0), 0);
});

test("commits that fail space out, and the network's return tries at once", async () => {
  const hub = newHub();
  const events = new EventTarget();
  const replica = await running(hub, { environment: {
    events, pace: { ...FAST, firstRetryDelay: 20, maximumRetryDelay: 100_000 },
  } });
  let isOffline = true;
  hub.intercept = async () => (isOffline ? Response.error() : undefined);
  replica.start();
  await eventually(() => replica.status.phase === "offline");
  await replica.table("notes").insert({ id: 1, body: "waits" });
  await new Promise((resolve) => { setTimeout(resolve, 150); });
  assert.ok(hub.requests.length < 12, `${hub.requests.length} tries`);
  assert.equal(replica.status.pending, 1);
  isOffline = false;
  events.dispatchEvent(new Event("online"));
  await eventually(() => hub.row("notes", [1]));
  await eventually(() => replica.status.error === null && replica.status.pending === 0);
});

test("the loop ends with an error after which only the app can go on", async () => {
  const hub = newHub();
  const replica = await running(hub);
  hub.intercept = async () => refusal("differentUser", 403);
  replica.start();
  await eventually(() => replica.status.phase === "ended");
  assert.equal(replica.status.error.code, "differentUser");
  const count = hub.requests.length;
  await new Promise((resolve) => { setTimeout(resolve, 100); });
  assert.equal(hub.requests.length, count);
  hub.intercept = async () => undefined;
  replica.start();
  await eventually(() => replica.status.phase === "waiting");
  assert.equal(replica.status.error, null);
});

test("a user who has to sign in again sees it, and goes on with another token", async () => {
  const hub = newHub();
  let token = "old-token";
  const replica = await running(hub, { token: () => token });
  hub.intercept = async (path, content, { headers }) =>
    (headers.Authorization === "Bearer new-token" ? undefined : refusal("unauthorized", 401));
  replica.start();
  await eventually(() => replica.status.phase === "signInRequired");
  token = "new-token";
  replica.wake();
  await eventually(() => replica.status.phase === "waiting");
});

test("a call that is aborted ends, and the replica goes on", async () => {
  const hub = newHub();
  const replica = await running(hub);
  const controller = new AbortController();
  hub.intercept = async (path, content, { signal }) => {
    controller.abort();
    signal.throwIfAborted();
  };
  await assert.rejects(replica.sync({ signal: controller.signal }), { name: "AbortError" });
  hub.intercept = async () => undefined;
  assert.equal((await replica.sync()).isCaughtUp, true);
});
