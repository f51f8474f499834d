// What only a real server shows: live streams, users and scopes, orders, a new epoch, a new schema.
//
//   MOORAGE_BINARY=… node --test tests/server.test.js

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { MemoryStore, openReplica } from "../moorage.js";
import { startProxy } from "./support/cutting-proxy.js";
import { eventually } from "./support/device.js";
import { SECRET, skip, startHub } from "./support/hub-process.js";

describe("a real server", { skip, timeout: 600_000 }, () => {
  let hub;
  let proxy;
  const replicas = [];

  before(async () => {
    hub = await startHub([
      "CREATE TABLE notes(id UUID PRIMARY KEY, body TEXT NOT NULL, rank INTEGER)",
      "CREATE TABLE sums(id INTEGER PRIMARY KEY, total DECIMAL(20,2), at DATETIME)",
    ], "tables:\n  notes:\n  sums: { keyBlock: 10 }\n");
    // It keeps its address when the server starts again, and cuts nothing.
    proxy = await startProxy(() => hub.port, () => 0);
    proxy.isCalm = true;
  });

  after(async () => {
    for (const replica of replicas) await replica.close();
    proxy?.close();
    await hub?.close();
  });

  async function open(name, options = {}) {
    const replica = await openReplica({
      name, url: proxy.url, token: () => SECRET, tables: { notes: { key: ["id"] }, sums: {} },
      ...options,
    });
    replicas.push(replica);
    return replica;
  }

  test("what one device commits is on the other at once, by live streams", async () => {
    const [one, two] = [await open("one"), await open("two")];
    one.start();
    two.start();
    await eventually(() => one.status.phase === "live" && two.status.phase === "live");
    const note = await one.table("notes").insert({ body: "live" });
    await eventually(async () => await two.table("notes").get(note.id) !== null);
    await two.table("notes").update(note.id, { rank: 9007199254740993n });
    await eventually(async () =>
      (await one.table("notes").get(note.id)).rank === 9007199254740993n);
    await hub.central.run("UPDATE notes SET body = 'by another program'");
    await eventually(async () =>
      (await one.table("notes").get(note.id)).body === "by another program");
    const sum = await one.table("sums").insert({ total: "9.80", at: "2026-11-24 10:00:00.5" });
    await eventually(async () => await two.table("sums").get(sum.id) !== null);
    await eventually(() => one.status.isCaughtUp && two.status.isCaughtUp);
    assert.deepEqual(await two.verify("notes"), []);
    assert.deepEqual(await two.verify("sums"), []);
    await one.stop();
    await two.stop();
  });

  test("the server's death in mid-stream is survived", async () => {
    const pace = { firstRetryDelay: 50, pullInterval: 1_000 };
    const one = await open("killed", { environment: { pace } });
    one.start();
    await eventually(() => one.status.phase === "live");
    await hub.stop();
    const note = await one.table("notes").insert({ body: "while it was away" });
    await eventually(() => one.status.phase === "offline");
    await hub.serve();
    await eventually(() => one.status.isCaughtUp);
    const [[count]] = await hub.central.run(
      `SELECT count(*) FROM notes WHERE id = '${note.id}'`);
    assert.equal(count, 1);
    await one.stop();
  });

  test("in a new epoch the replica reads again, and offers again what was answered", async () => {
    const store = new MemoryStore();
    const one = await open("epoch", { store });
    await one.sync();
    const note = await one.table("notes").insert({ body: "answered" });
    await one.sync();
    const id = await one.id();
    await hub.stop();
    await hub.central.run("DELETE FROM notes");
    hub.run("attach", `sqlite:${hub.path}`, "--new-epoch");
    await hub.serve();
    await one.table("notes").insert({ body: "in the log" });
    await one.sync();
    assert.notEqual(await one.id(), id);
    const here = (await one.table("notes").all()).map(({ body }) => body);
    const lists = (await one.refused()).map(({ after: row }) => row?.body);
    assert.ok(here.includes("in the log"));
    // The hub knows that somebody deleted the row, or takes it again.
    assert.ok(here.includes("answered") || lists.includes("answered"), `${note.id} is nowhere`);
    assert.deepEqual(await one.pending(), []);
    assert.deepEqual(await one.verify("notes"), []);
  });

  test("a new column arrives, and a dropped one goes", async () => {
    const one = await open("schema");
    await one.sync();
    await one.table("notes").insert({ body: "before" });
    await hub.central.run("ALTER TABLE notes ADD COLUMN mood TEXT DEFAULT 'calm'");
    hub.run("attach", `sqlite:${hub.path}`);
    await one.sync();
    await one.sync();
    const [row] = await one.table("notes").all({ where: { body: "before" } });
    assert.equal(row.mood, "calm");
    await one.table("notes").update(row.id, { mood: "happy" });
    await one.sync();
    const [[mood]] = await hub.central.run(`SELECT mood FROM notes WHERE id = '${row.id}'`);
    assert.equal(mood, "happy");
    assert.deepEqual(await one.verify("notes"), []);
    await hub.central.run("ALTER TABLE notes DROP COLUMN mood");
    hub.run("attach", `sqlite:${hub.path}`);
    await one.table("notes").update(row.id, { body: "after", mood: "gone" });
    await one.sync();
    await one.sync();
    const [[body]] = await hub.central.run(`SELECT body FROM notes WHERE id = '${row.id}'`);
    assert.equal(body, "after");
    assert.ok(!("mood" in await one.table("notes").get(row.id)));
    assert.equal((await one.refused()).at(-1).after.mood, "gone");
    assert.deepEqual(await one.pending(), []);
  });

  test("an order to wipe empties the replica, and a revoked one keeps its rows", async () => {
    const [one, two] = [await open("wiped"), await open("revoked")];
    await one.sync();
    await two.sync();
    assert.ok((await one.table("notes").all()).length > 0);
    hub.run("replicas", "wipe", await one.id(), `sqlite:${hub.path}`);
    hub.run("replicas", "revoke", await two.id(), `sqlite:${hub.path}`);
    await assert.rejects(one.sync(), { code: "replicaWiped" });
    await assert.rejects(two.sync(), { code: "replicaRevoked" });
    assert.deepEqual(await one.table("notes").all(), []);
    assert.ok((await two.table("notes").all()).length > 0);
  });

  test("the owner sees what a device reports", async () => {
    const one = await open("reporting", { device: { name: "Ada's browser", appVersion: "2.1" } });
    await one.sync();
    const listed = hub.run("replicas", "list", `sqlite:${hub.path}`, "--json");
    const entry = listed.trim().split("\n").map((line) => JSON.parse(line))
      .find((line) => line.report?.name === "Ada's browser");
    assert.deepEqual([entry.id, entry.report.appVersion], [await one.id(), "2.1"]);
  });
});

const TOKEN_SECRET = "a-secret-for-tokens-of-the-tests-1234";

function token(sub, claims = {}) {
  const part = (content) => Buffer.from(JSON.stringify(content)).toString("base64url");
  const body = `${part({ alg: "HS256", typ: "JWT", kid: "test" })}.${part({
    iss: "https://id.example", aud: "moorage", exp: Math.floor(Date.now() / 1000) + 600, sub,
    ...claims,
  })}`;
  return `${body}.${createHmac("sha256", TOKEN_SECRET).update(body).digest("base64url")}`;
}

describe("users and scopes", { skip, timeout: 600_000 }, () => {
  let hub;

  before(async () => {
    hub = await startHub([
      "CREATE TABLE projects(id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
      `CREATE TABLE tasks(id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL
         REFERENCES projects(id), title TEXT NOT NULL)`,
      "CREATE TABLE members(project_id INTEGER, user_id TEXT, PRIMARY KEY(project_id, user_id))",
      "INSERT INTO projects VALUES(1, 'one'), (2, 'two'), (3, 'three')",
      "INSERT INTO tasks VALUES(11, 1, 'a'), (12, 1, 'b'), (21, 2, 'c'), (31, 3, 'd')",
      "INSERT INTO members VALUES(1, 'ada'), (2, 'ada'), (3, 'ben')",
    ], `
signIn:
  issuer: https://id.example
  audience: moorage
  keys:
    - { kid: test, algorithm: HS256, secret: ${TOKEN_SECRET} }
scopes:
  project:
    sql: "SELECT project_id FROM members WHERE user_id = :sub"
    onRequest: true
tables:
  projects: { scope: { project: id }, rights: { "*": read } }
  tasks: { scope: { through: project_id } }
`);
  });

  after(() => hub?.close());

  const open = (name, sub, store = new MemoryStore()) => openReplica({
    name, url: `http://127.0.0.1:${hub.port}`, token: () => token(sub), store,
    tables: { projects: {}, tasks: {} },
  });
  const titles = async (replica) =>
    (await replica.table("tasks").all()).map(({ title }) => title).join("");

  test("rows come with the scopes that the app asks for, and leave with them", async () => {
    const ada = await open("ada", "ada");
    await ada.sync();
    assert.equal(await titles(ada), "");
    await ada.subscribe("project/1", { priority: "high" });
    await ada.subscribe("project/2");
    await ada.subscribe("project/3");
    await ada.sync();
    assert.equal(await titles(ada), "abc");
    assert.deepEqual((await ada.subscriptions()).map(({ scope, state }) => `${scope} ${state}`),
      ["project/1 complete", "project/2 complete", "project/3 unavailable"]);
    await ada.table("tasks").update(11, { title: "A" });
    await ada.unsubscribe("project/1");
    await ada.sync();
    await ada.sync();
    assert.equal(await titles(ada), "c");
    const [[title]] = await hub.central.run("SELECT title FROM tasks WHERE id = 11");
    assert.equal(title, "A");
    await hub.central.run("INSERT INTO members VALUES(3, 'ada')");
    await hub.central.run("DELETE FROM members WHERE project_id = 2");
    await ada.sync();
    assert.equal(await titles(ada), "d");
    assert.deepEqual(await ada.verify("tasks"), []);
    await ada.close();
  });

  test("rights come with the welcome, and the hub refuses what they do not allow", async () => {
    const ben = await open("ben", "ben");
    await ben.subscribe("project/3");
    await ben.sync();
    const rights = await ben.rights("projects");
    assert.deepEqual(
      [rights.insert(), rights.update("name"), rights.delete], [false, false, false]);
    assert.equal((await ben.rights("tasks")).insert("title"), true);
    await ben.table("projects").update(3, { name: "mine" });
    await ben.sync();
    assert.equal((await ben.table("projects").get(3)).name, "three");
    assert.equal((await ben.refused())[0].code, "permission");
    await ben.close();
  });

  test("a replica stays its user's, until it is emptied", async () => {
    const store = new MemoryStore();
    const ada = await open("both", "ada", store);
    await ada.sync();
    await ada.close();
    const ben = await open("both", "ben", store);
    await assert.rejects(ben.sync(), { code: "differentUser" });
    await ben.deleteEverything();
    await ben.subscribe("project/3");
    await ben.sync();
    assert.equal(await titles(ben), "d");
    await ben.close();
  });
});
