// The example pages in Chromium, beside a native replica: offline edits everywhere, and what needs
// a person. Scripts/browser runs this.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { eventually } from "../support/device.js";
import { SECRET, skip } from "../support/hub-process.js";
import { random } from "../support/random.js";
import { chromium, keepPicture, rowsOf, shows, World } from "./world.js";

/** What the page of a tab has, as another tab of the same user sees it. */
function contentOf(tab, name, tables, order) {
  const [table] = Object.keys(tables);
  return tab.evaluate(`(async () => {
    const { openReplica } = await import("/moorage.js");
    const settings = new URLSearchParams(location.hash.slice(1));
    globalThis.other ??= await openReplica({
      name: ${JSON.stringify(`${name} of `)} + settings.get("hub"), url: settings.get("hub"),
      token: () => ${JSON.stringify(SECRET)}, tables: ${JSON.stringify(tables)},
    });
    const value = (one) => (typeof one === "boolean" ? Number(one) : one);
    const text = (row) => JSON.stringify(${JSON.stringify(order)}.map((one) => value(row[one])));
    const rows = await other.table(${JSON.stringify(table)}).all();
    return {
      rows: rows.map(text).sort(),
      pending: await other.pending(), refused: await other.refused(),
      conflicts: await other.conflicts(), differences: await other.verify(${JSON.stringify(table)}),
    };
  })()`);
}

const todos = (tab) =>
  contentOf(tab, "todo", { todos: { key: ["id"] } }, ["id", "title", "done"]);

/** Adds, checks and deletes as a person does. */
const add = (tab, title) => tab.evaluate(`{
  const form = document.querySelector("form");
  form.elements.title.value = ${JSON.stringify(title)};
  form.requestSubmit();
}`);
const item = (title) => `[...document.querySelectorAll("li")]
  .find((one) => one.querySelector("span").textContent === ${JSON.stringify(title)})`;
const check = (tab, title) => tab.evaluate(`${item(title)}.querySelector("input").click()`);
const remove = (tab, title) => tab.evaluate(`${item(title)}.querySelector("button").click()`);
/** Types into the field with this label. */
const type = (tab, label, text) => tab.evaluate(`{
  const field = document.querySelector('[aria-label="${label}"]');
  field.value = ${JSON.stringify(text)};
  field.dispatchEvent(new Event("change"));
}`);
const press = (tab, name) => tab.evaluate(`[...document.querySelectorAll("button")]
  .find((one) => one.textContent === ${JSON.stringify(name)}).click()`);
const status = (tab) => tab.evaluate("document.querySelector('#status').textContent");
const upToDate = (tab) => eventually(async () => await status(tab) === "Up to date");

const why = skip || (chromium ? false : "CHROMIUM names no browser");

describe("pages in Chromium", { skip: why, timeout: 1_800_000 }, () => {
  let world;
  let anna;
  let ben;

  before(async () => {
    world = await World.start(random(1));
    anna = world.profile("anna");
    ben = world.profile("ben");
  });

  after(() => world?.close());

  const assertNoComplaints = (...tabs) => {
    for (const tab of tabs) assert.deepEqual(tab.complaints, []);
  };

  test("edits of two pages and a native replica, all offline, are equal everywhere", async () => {
    const id = randomUUID();
    await world.hub.central.run(
      `INSERT INTO todos VALUES('${id}', 'Water the plants', 0)`,
      `INSERT INTO todos VALUES('${randomUUID()}', 'Call the harbour master', 0)`,
      `INSERT INTO todos VALUES('${randomUUID()}', 'Return the library books', 0)`);
    const native = await world.native("native", ["todos"]);
    const [one, follower, two] = [
      await anna.open("examples/todo.html"), await anna.open("examples/todo.html"),
      await ben.open("examples/todo.html"),
    ];
    for (const tab of [one, follower, two]) {
      await shows(tab, "Water the plants");
      await upToDate(tab);
    }
    await keepPicture(one, "todo-up-to-date");

    await anna.offline(true);
    await ben.offline(true);
    await add(one, "Book the ferry");
    await add(follower, "Buy 3 m of rope");
    await check(one, "Water the plants");
    await add(two, "Ask Kaja for the keys");
    await add(two, "Paint the boat’s name");
    await remove(two, "Return the library books");
    native.sql(
      `INSERT INTO todos VALUES('${randomUUID()}', 'Write the log: “Ålesund”', 0)`,
      `UPDATE todos SET title = 'Water all plants' WHERE id = '${id}'`);
    for (const tab of [one, follower]) {
      await shows(tab, "Book the ferry");
      await shows(tab, "Buy 3 m of rope");
      await eventually(async () => await status(tab) === "Offline, 3 changes to send");
    }
    await eventually(async () => await status(two) === "Offline, 3 changes to send");
    await keepPicture(one, "todo-offline-anna");
    await keepPicture(two, "todo-offline-ben");
    const [[count]] = await world.hub.central.run("SELECT count(*) FROM todos");
    assert.equal(count, 3);

    await anna.offline(false);
    await ben.offline(false);
    await native.sync();
    const columns = "id, title, done";
    await eventually(async () => {
      const central = await world.central("todos", columns);
      const pages = await Promise.all([one, two].map(todos));
      return central.length === 7 && pages.every(({ rows, pending }) =>
        pending.length === 0 && rows.join() === central.join());
    });
    await native.sync();
    const central = await world.central("todos", columns);
    assert.deepEqual(rowsOf(native, "todos", columns), central);
    assert.match(await native.verify(), /^equal/);
    for (const tab of [one, two]) {
      const { rows, refused, conflicts, differences } = await todos(tab);
      assert.deepEqual(rows, central);
      assert.deepEqual([refused, conflicts, differences], [[], [], []]);
    }
    for (const tab of [one, follower, two]) {
      await upToDate(tab);
      await shows(tab, "Water all plants");
      const shown = await tab.evaluate(
        "[...document.querySelectorAll('li span')].map((one) => one.textContent).sort()");
      assert.deepEqual(shown, central.map((row) => JSON.parse(row)[1]).sort());
      assert.equal(await tab.evaluate("document.querySelectorAll('.unsent').length"), 0);
    }
    console.log("pages equal: 2 with 3 tabs, a native replica and the hub");
    await keepPicture(one, "todo-equal-anna");
    await keepPicture(two, "todo-equal-ben");
    assertNoComplaints(one, follower, two);
  });

  test("orders: a group, keys of the hub, a conflict and a refusal", async () => {
    const [one, two] = [
      await anna.open("examples/orders.html"), await ben.open("examples/orders.html"),
    ];
    for (const tab of [one, two]) {
      await shows(tab, "50 of 830 orders");
      await upToDate(tab);
    }
    await keepPicture(one, "orders", 1000, 700);

    await anna.offline(true);
    await ben.offline(true);
    await press(one, "New order");
    await press(two, "New order");
    await type(one, "City of order 11077", "Lindvik");
    await type(two, "City of order 11077", "Kalmar");
    for (const tab of [one, two]) {
      await shows(tab, "50 of 831 orders");
      await eventually(async () => await status(tab) === "Offline, 3 changes to send");
    }
    await ben.offline(false);
    await upToDate(two);
    await anna.offline(false);
    for (const tab of [one, two]) {
      await shows(tab, "50 of 832 orders");
      await upToDate(tab);
    }
    await shows(one, "your ship city “Lindvik” lost against ship city “Kalmar”");
    await keepPicture(one, "orders-conflict", 1000, 700);
    await press(one, "Use mine");
    const city = "SELECT ship_city FROM orders WHERE order_id = 11077";
    await eventually(async () => (await world.hub.central.run(city))[0][0] === "Lindvik");
    const [[orders, lines]] = await world.hub.central.run(
      `SELECT count(*), sum((SELECT count(*) FROM order_details l WHERE l.order_id = o.order_id))
       FROM orders o WHERE order_id > 11077`);
    assert.deepEqual([orders, lines], [2, 2]);

    await type(two, "Freight of order 11076", "5000");
    await shows(two, "freight above 1000");
    await keepPicture(two, "orders-refused", 1000, 700);
    const freight = () => two.evaluate(
      "document.querySelector('[aria-label=\"Freight of order 11076\"]').value");
    assert.equal(await freight(), "925.80");
    await press(two, "Dismiss");
    await eventually(async () => await two.evaluate(
      "document.querySelectorAll('.lists li').length") === 0);

    // Not the freight: the new 9.80 is 9.8 on the other device. `verify` knows that they are equal.
    const columns = ["order_id", "customer_id", "ship_city"];
    const read = (tab) => contentOf(
      tab, "orders", { orders: {}, customers: {}, order_details: {} }, columns);
    await upToDate(one);
    await upToDate(two);
    const [mine, theirs] = [await read(one), await read(two)];
    assert.deepEqual(mine.rows, theirs.rows);
    assert.equal(mine.rows.length, 832);
    for (const { differences, pending } of [mine, theirs]) {
      assert.deepEqual([differences, pending], [[], []]);
    }
    assertNoComplaints(one, two);
  });
});
