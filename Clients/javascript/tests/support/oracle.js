// What must be true at the end of a history.

import assert from "node:assert/strict";
import { columnType, equalityText } from "../../src/values.js";
import { TABLES } from "./edits.js";

/** What the statements of a history need to know of a central value. */
const TYPES = {
  customers: { id: "text", name: "text", city: "text" },
  orders: {
    id: "integer", customer_id: "text", freight: "decimal", shipped: "boolean", weight: "real",
    big: "integer", note: "text", picture: "blob", due: "timestamp(6)",
  },
  lines: { order_id: "integer", line: "integer", quantity: "integer" },
  notes: { id: "uuid", body: "text", parent: "uuid" },
  counters: { id: "integer", n: "integer" },
  tags: { id: "uuid", label: "text" },
};

/** Rows of a table as texts that are equal exactly when the rows are. */
export function comparable(table, rows) {
  return rows.map((row) => Object.entries(TYPES[table]).map(
    ([name, type]) => `${name}=${equalityText(columnType(type), row[name])}`).join(" ")).sort();
}

function centralValue(type, value) {
  if (value === null) return null;
  if (type === "boolean") return value !== 0;
  if (type === "decimal") return String(value);
  if (type === "integer") return BigInt(value);
  if (typeof value === "object") return Uint8Array.from(Buffer.from(value.b, "hex"));
  return value;
}

/** The rows of a central table. */
async function centralRows(hub, table) {
  const names = Object.keys(TYPES[table]);
  const columns = names.map((name) => (name === "big" ? "CAST(big AS TEXT) AS big" : name));
  const cells = await hub.central.run(`SELECT ${columns.join(", ")} FROM ${table}`);
  return cells.map((row) => Object.fromEntries(names.map(
    (name, index) => [name, centralValue(TYPES[table][name], row[index])])));
}

/**
 * What a device has, as it says itself.
 *
 * @param {import("../../src/replica.js").Replica} replica
 */
export async function content(replica) {
  const lists = [...await replica.refused(), ...await replica.conflicts()];
  const values = lists.flatMap(({ after, mine, row, before, theirs }) =>
    [after, mine, row, before, theirs].flatMap((part) => Object.values(part ?? {})));
  const rows = {};
  const differences = [];
  for (const table of TABLES) {
    rows[table] = comparable(table, await replica.table(table).all());
    differences.push(...await replica.verify(table));
  }
  return {
    rows, differences, values: values.filter((value) => typeof value === "string"),
    pending: await replica.pending(), isCaughtUp: replica.status.isCaughtUp,
    refused: lists.filter(({ list }) => list === "refused").length,
    conflicts: lists.filter(({ list }) => list === "conflicts").length,
    // Refused with its group, an addition does not count.
    notAdded: lists.filter(({ list, table }) => list === "refused" && table === "counters")
      .map(({ key: [id], before, after }) => [id, after.n - before.n]),
  };
}

/**
 * All devices have the rows of the central database, and no value that was sent is nowhere.
 *
 * @param {object} end
 * @param {string} end.place The seed.
 * @param {any} end.hub
 * @param {{ name: string, content: Awaited<ReturnType<typeof content>> }[]} end.devices
 * @param {Set<string>} end.sent Values that a device sent.
 * @param {Set<unknown>} end.replaced Values that somebody replaced knowingly.
 * @param {string[]} [end.lists] What other devices list.
 */
export async function assertNothingLost({ place, hub, devices, sent, replaced, lists = [] }) {
  const everywhere = new Set(lists);
  for (const table of TABLES) {
    const rows = await centralRows(hub, table);
    for (const row of rows) for (const value of Object.values(row)) everywhere.add(value);
    const central = comparable(table, rows);
    for (const { name, content: { rows: own } } of devices) {
      assert.deepEqual(own[table], central, `${place}, ${name}: ${table}`);
    }
  }
  for (const { name, content: { differences, pending, isCaughtUp, values } } of devices) {
    assert.deepEqual(differences, [], `${place}, ${name}`);
    assert.deepEqual(pending, [], `${place}, ${name}: pending`);
    assert.equal(isCaughtUp, true, `${place}, ${name}: caught up`);
    for (const value of values) everywhere.add(value);
  }
  const log = (await hub.central.run(
    "SELECT coalesce(base,'') || coalesce(mine,'') || coalesce(theirs,'') FROM moorage_conflict"
  )).flat().join("\n");
  for (const token of sent) {
    const isKnown = everywhere.has(token) || replaced.has(token)
      || log.includes(JSON.stringify(token).slice(1, -1));
    assert.ok(isKnown, `${place}: ${token} is nowhere`);
  }
}
