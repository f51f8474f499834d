// Compares a table with the hub's, row by row (docs/reference/protocol.md, 7).

import { storedBatch } from "./batch.js";
import { sentChanges } from "./outcomes.js";
import { own } from "./own.js";
import { shown } from "./query.js";
import { fromWire } from "./values.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./fold.js").Row} Row */

/** Rows of one page: the hub sends no more with values. */
const ROWS = 500;

/**
 * @typedef {{ table: string, key: import("./values.js").Value[],
 *   kind: "differs" | "missingHere" | "missingThere" }} Difference
 */

/**
 * @param {import("./session.js").Core} core
 * @param {import("./transport.js").Transport} transport
 * @param {string} name
 * @param {string | undefined} clientVersion
 * @param {AbortSignal} [signal]
 * @returns {Promise<Difference[]>}
 */
export async function verified(core, transport, name, clientVersion, signal) {
  const begun = await core.read((session) => beginning(session, name));
  if (begun === null) return [];
  const { table, request, rows, excused } = begun;
  /** @type {Difference[]} */
  const result = [];
  const add = (/** @type {Row} */ keyRow, /** @type {Difference["kind"]} */ kind) => {
    result.push({ table: name, key: table.keyValues(keyRow), kind });
  };
  let after;
  do {
    const answer = await transport.compare({ ...request, clientVersion, after }, signal);
    for (const row of answer.rows) {
      const key = table.keyTextOfWire(row.key);
      const here = rows.get(key);
      rows.delete(key);
      if (row.beyond || row.withheld || excused.has(key)) continue;
      if (!row.values) {
        if (here) add(here, "missingThere");
      } else if (!here) {
        add(table.keyRow(row.key), "missingHere");
      } else if (!isEqual(table, here, row.values)) {
        add(here, "differs");
      }
    }
    after = answer.next;
  } while (after !== undefined);
  for (const [key, row] of rows) if (!excused.has(key)) add(row, "missingThere");
  return result;
}

/** @param {Table} table @param {Row} here @param {import("./values.js").WireValue[]} values */
function isEqual(table, here, values) {
  return table.columns.every(({ name, type }, index) =>
    table.areEqual(name, own(here, name), fromWire(type, values[index])));
}

/** @param {Session} session @param {string} name */
async function beginning(session, name) {
  const table = session.tables.get(name);
  if (!table || table.problem !== null || !table.isReceived || !table.isKnown) return null;
  const { state } = session;
  /** @type {Map<string, Row>} */
  const rows = new Map();
  await session.store.each("rows", name, (key, { v }) => { rows.set(String(key), shown(table, v)); });
  // Rows that may rightly differ: they have a change that is not answered, or are withheld.
  const batch = await storedBatch(session);
  const sent = batch ? sentChanges(session, batch) : [];
  const excused = new Set([
    ...(await session.store.list("changes", name)).map(([key]) => String(key)),
    ...(await session.store.list("withheld", name)).map(([key]) => String(key)),
    ...sent.flatMap((one) => (one?.table === table ? [one.key] : [])),
  ]);
  const request = {
    replica: state.replica, formerly: state.formerly ?? undefined, user: state.user ?? undefined,
    table: { name, columns: table.columns.map((column) => column.name) }, rows: ROWS,
    cursor: session.cursor, values: true,
  };
  return { table, request, rows, excused };
}
