// Tables, columns and scopes with names that each object of JavaScript has.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore } from "../moorage.js";
import { fails, newHub, synced } from "./support/customers.js";
import { device } from "./support/device.js";
import { refusal, ScriptedHub, table } from "./support/scripted-hub.js";

const NAMES = ["constructor", "toString", "valueOf", "__proto__", "hasOwnProperty"];
const withColumn = (name) => Object.fromEntries([
  ["id", "integer!"], [name, "text"], ["year", "integer"],
]);
/** A row with a column of any name. */
const row = (id, name, value, year) =>
  Object.fromEntries([["id", id], [name, value], ["year", year]]);

for (const name of NAMES) {
  test(`a column may be called ${name}`, async () => {
    const columns = withColumn(name);
    const hub = new ScriptedHub([table("cars", columns)]);
    const store = new MemoryStore();
    const early = await device(hub, { store });
    await early.table("cars").insert(row(9, name, "Early", 1950));
    await early.sync();
    assert.deepEqual(hub.row("cars", [9]), [9, "Early", 1950]);
    const replica = await device(hub, { store });
    await replica.sync();
    const cars = replica.table("cars");
    await cars.insert({ id: 1, year: 1990 });
    assert.deepEqual(await cars.get(1), row(1, name, null, 1990));
    await cars.update(1, { year: 1991 });
    await replica.sync();
    await cars.insert(row(2, name, "Lotus", 1958));
    await cars.update(1, Object.fromEntries([[name, "Cooper"]]));
    await replica.sync();
    assert.deepEqual(hub.rows("cars"),
      [[9, "Early", 1950], [1, "Cooper", 1991], [2, "Lotus", 1958]]);
    hub.put("cars", [2], [2, "Brabham", 1966]);
    await replica.sync();
    assert.deepEqual(await cars.get(2), row(2, name, "Brabham", 1966));
    assert.deepEqual(
      (await cars.all({ where: Object.fromEntries([[name, "Cooper"]]) })).map(({ id }) => id), [1]);
    await cars.delete(2);
    await cars.insert(row(2, name, "Again", null));
    await replica.sync();
    assert.deepEqual(hub.row("cars", [2]), [2, "Again", null]);
    assert.deepEqual(await replica.refused(), []);
    assert.deepEqual(await replica.verify("cars"), []);
  });

  test(`a table may be called ${name}`, async () => {
    const hub = new ScriptedHub([table(name, { id: "integer!", body: "text" }, { keyBlock: 3 })]);
    hub.put(name, [1], [1, "there"]);
    const replica = await device(hub, { tables: undefined });
    await replica.sync();
    await replica.table(name).insert({ body: "here" });
    await replica.sync();
    assert.deepEqual(hub.rows(name), [[1, "there"], [1_000, "here"]]);
    assert.deepEqual(await replica.verify(name), []);
    assert.equal({}.generation, undefined);
  });

  test(`a scope and an error may be called ${name}`, async () => {
    const { hub, replica } = await synced(newHub());
    await replica.subscribe(name);
    await replica.sync();
    assert.deepEqual(hub.requests.at(-1).content.scopes.map(({ scope }) => scope), [name]);
    assert.deepEqual((await replica.subscriptions()).map(({ scope }) => scope), [name]);
    hub.intercept = async () => refusal(name, 503);
    await assert.rejects(replica.sync(), { code: name, recovery: "askOperator" });
  });
}

test("a message of the hub is cut", async () => {
  const { hub, replica } = await synced(newHub());
  const content = { code: "c".repeat(2_000), message: "x".repeat(2_000_000) };
  hub.script = () => [{ kind: "error", content }];
  await assert.rejects(replica.sync(), ({ code, message }) =>
    code.length <= 100 && message.length <= 2_000);
  hub.script = (frames) => frames;
  await fails(replica.table("nothing").all(), "noSuchTable");
});
