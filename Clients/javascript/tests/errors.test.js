// Refusals, orders and answers that break the protocol.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fails, newHub, onFrames, onPages, synced } from "./support/customers.js";
import { device } from "./support/device.js";
import { refusal } from "./support/scripted-hub.js";

test("errors of the hub keep their code, and say what helps", async () => {
  const { hub, replica, view } = await synced();
  await view.insert({ id: 2, name: "kept" });
  const cases = [
    ["differentUser", 403, "choose"], ["replicaRevoked", 403, "askOperator"],
    ["clientTooOld", 426, "updateApp"], ["tooMany", 429, "retry"], ["busy", 503, "retry"],
    ["malformed", 400, "reportBug"], ["somethingNew", 503, "askOperator"],
  ];
  for (const [code, status, recovery] of cases) {
    hub.intercept = async () => refusal(code, status, { "retry-after": "7" });
    await assert.rejects(replica.sync(), (error) => {
      assert.deepEqual([error.code, error.recovery, error.retryAfter], [code, recovery, 7_000]);
      return true;
    });
    assert.equal((await replica.pending()).length, 1);
  }
  hub.intercept = async () => new Response("<html>", { headers: { "content-type": "text/html" } });
  await fails(replica.sync(), "notOurServer");
  hub.intercept = async () => new Response("", { status: 502 });
  await fails(replica.sync(), "busy");
});

test("a token that was refused is asked for once more", async () => {
  const hub = newHub();
  const asked = [];
  const replica = await device(hub, {
    token: ({ refused }) => {
      asked.push(refused);
      return refused === null ? "old-token" : "new-token";
    },
  });
  hub.intercept = async (path, content, init) => (init.headers.Authorization === "Bearer new-token"
    ? undefined : refusal("unauthorized", 401));
  await replica.sync();
  assert.deepEqual(asked.slice(0, 2), [null, "old-token"]);
  hub.intercept = async () => refusal("unauthorized", 401);
  await fails(replica.sync(), "unauthorized");
  // The same one again is of no use.
  const same = await device(hub, { token: () => "same-token" });
  const count = hub.requests.length;
  await fails(same.sync(), "unauthorized");
  assert.equal(hub.requests.length, count + 1);
});

test("an order to wipe deletes everything, after the app has heard of it", async () => {
  let isTold = false;
  const { hub, replica, view } = await synced(newHub(), { willWipe: () => { isTold = true; } });
  const id = await replica.id();
  await view.insert({ id: 2, name: "pending" });
  hub.intercept = async () => refusal("replicaWiped", 403);
  await fails(replica.sync(), "replicaWiped");
  assert.equal(isTold, true);
  assert.deepEqual(await view.all(), []);
  assert.deepEqual(await replica.pending(), []);
  assert.equal(await replica.id(), id);
  hub.intercept = async () => undefined;
  await replica.sync();
  assert.equal((await view.all()).length, 1);
});

test("deleteEverything makes room for another user", async () => {
  const { hub, replica, view } = await synced();
  hub.user = "digest of Ann";
  await replica.sync();
  await replica.sync();
  assert.equal(hub.requests.at(-1).content.user, "digest of Ann");
  const id = await replica.id();
  await view.insert({ id: 2, name: "pending" });
  await replica.deleteEverything();
  assert.deepEqual(await view.all(), []);
  assert.notEqual(await replica.id(), id);
  await replica.sync();
  const first = hub.requests.findLast(({ content }) => content?.cursor.epoch === undefined);
  assert.equal(first.content.user, undefined);
  assert.equal((await view.all()).length, 1);
});

test("an answer for a former id changes nothing", async () => {
  const { hub, replica, view } = await synced();
  hub.intercept = async () => {
    hub.intercept = async () => undefined;
    // Another user begins while the request is on its way.
    await replica.deleteEverything();
  };
  hub.put("customers", [2], [2, "Ben", null]);
  await fails(replica.sync(), "unreachable");
  assert.deepEqual(await view.all(), []);
  await replica.sync();
  assert.equal((await view.all()).length, 2);
});

test("another hub is refused, and nothing changes", async () => {
  const { hub, replica, view } = await synced();
  hub.id = "00000000-0000-4000-8000-000000000000";
  await view.update(1, { city: "Nice" });
  await fails(replica.sync(), "differentHub");
  assert.equal((await replica.pending()).length, 1);
});

test("an answer that breaks the protocol changes nothing", async () => {
  const { hub, replica, view } = await synced();
  const scripts = {
    "a second welcome": (frames) => [frames[0], ...frames],
    "no welcome": (frames) => frames.slice(1),
    "a page before the outcomes": (frames) => [frames[0], frames[2], frames[1], frames[3]],
    "outcomes of another batch": onFrames(
      "outcomes", (content) => ({ ...content, number: 99 })),
    "too few outcomes": onFrames(
      "outcomes", (content) => ({ ...content, status: "applied", list: [] })),
    "an answer after its end": (frames) => [...frames, frames[frames.length - 1]],
    "a sign of life": (frames) => [frames[0], { kind: "alive", content: { time: 1 } }],
    "a batch that is not answered": (frames) => [frames[0], frames[3]],
    "a page after a fork": onFrames(
      "outcomes", (content) => ({ ...content, status: "forked", list: [] })),
  };
  await view.update(1, { city: "Nice" });
  for (const [name, script] of Object.entries(scripts)) {
    hub.script = script;
    await assert.rejects(replica.sync(), (error) => {
      assert.equal(error.code, "protocolViolation", name);
      assert.ok(!error.message.includes("Nice"));
      if (name === "a page after a fork") assert.match(error.message, /a page where none can come/);
      return true;
    });
    if (name !== "an answer after its end") {
      assert.equal((await replica.pending()).length, 1, name);
    } else {
      await view.update(1, { city: "Nizza" });
    }
  }
  hub.script = (frames) => frames;
  await replica.sync();
  assert.deepEqual(hub.row("customers", [1]), [1, "Ann", "Nizza"]);
});

test("rows of a table that the replica does not sync are refused", async () => {
  const { hub, replica } = await synced();
  hub.script = onPages((content) => ({
    ...content, tables: [{ table: "others", columns: ["id"], rows: [[1]] }],
  }));
  await fails(replica.sync(), "tableSuspended");
});

test("plain HTTP beyond this machine is refused before anything is sent", () => {
  const open = (url, more) => device(newHub(), { url, ...more });
  assert.throws(() => { throw Object.assign(new Error(), { code: "configuration" }); });
  return Promise.all([
    fails(open("http://example.com"), "configuration"), fails(open("ftp://x"), "configuration"),
    fails(open("https://user@host"), "configuration"),
    // These are names of the network, whatever they begin with.
    fails(open("http://127.example.com"), "configuration"),
    fails(open("http://127.0.0.1.example.com"), "configuration"),
    open("http://127.0.0.1:8080"), open("http://127.1"), open("http://[::1]:8080"),
    open("http://10.0.0.1", { allowsPlainHTTP: true }), open("https://example.com/base/"),
  ]);
});

test("a row that is too large says what to do", async () => {
  const { hub, replica } = await synced();
  const megabyte = "x".repeat(1_000_000);
  hub.intercept = async (path) => {
    if (path !== "/v1/exchange") return undefined;
    const parts = new Array(65).fill(new TextEncoder().encode(megabyte));
    return new Response(new ReadableStream({
      pull(controller) {
        const part = parts.shift();
        if (part) controller.enqueue(part);
        else controller.close();
      },
    }), { headers: { "content-type": "application/x-ndjson" } });
  };
  await assert.rejects(replica.sync(), ({ code, message }) =>
    code === "tooLarge" && message.includes("columns"));
});
