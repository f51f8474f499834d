// The lists that a person works through: pending, refused and overruled changes, withheld rows.

import { storedBatch } from "./batch.js";
import { decode, key as keyCodec } from "./codec.js";
import { misuse } from "./errors.js";
import { sentChanges } from "./outcomes.js";
import { own } from "./own.js";
import { fromWire, UNKNOWN } from "./values.js";
import { noSuchTable } from "./write.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./values.js").Value} Value */
/** @typedef {import("./fold.js").Row} Row */
/** @typedef {import("./write.js").WriteTransaction} WriteTransaction */

/**
 * A change that the hub has not answered.
 *
 * @typedef {object} PendingChange
 * @property {string} table
 * @property {Value[]} key
 * @property {"insert" | "update" | "delete" | "refetch"} kind
 * @property {number} at When it was last edited, by this device's clock.
 * @property {boolean} isSent Whether it is in the in-flight batch.
 * @property {string[]} columns The edited columns of an update.
 */

/**
 * A change that the hub refused, or a row that was removed here and is kept in this list alone.
 *
 * @typedef {object} RefusedChange
 * @property {"refused"} list
 * @property {number | string} id
 * @property {string} table
 * @property {Value[]} key
 * @property {"insert" | "update" | "delete" | "row"} kind `row` for a recovered row.
 * @property {Row | null} before
 * @property {Row | null} after
 * @property {string} code
 * @property {string} message
 * @property {number} at
 * @property {boolean} isBlocked Whether the change is still pending, because this device cannot
 *   send it as it is.
 */

/**
 * A change that lost a conflict, in whole or in part.
 *
 * @typedef {object} Conflict
 * @property {"conflicts"} list
 * @property {number} id
 * @property {string} table
 * @property {Value[]} key
 * @property {"insert" | "update" | "delete"} kind
 * @property {Row | null} base What both sides began with.
 * @property {Row | null} mine `null` for a delete.
 * @property {Row | null} theirs What the central row had; `null` if there was none.
 * @property {Row | null} result What it has now; `null` if there is none.
 * @property {string | null} rule
 * @property {number} at
 */

/** How many entries a list gives at most. */
export const MAXIMUM_ENTRIES = 10_000;

/** @param {Session} session @param {string} name @param {string} text @returns {Value[]} */
function keyValues(session, name, text) {
  const table = session.tables.get(name);
  const values = decode(keyCodec, text);
  if (table && table.key.length === values.length) return table.keyValues(table.keyRow(values));
  return values.map((value) => fromWire(UNKNOWN, value));
}

/** @param {Session} session @returns {Promise<PendingChange[]>} */
export async function pendingChanges(session) {
  const batch = await storedBatch(session);
  /** @type {PendingChange[]} */
  const result = [];
  for (const sent of batch ? sentChanges(session, batch) : []) {
    if (!sent) continue;
    result.push({
      table: sent.table.name, key: keyValues(session, sent.table.name, sent.key), kind: sent.kind,
      at: sent.at, isSent: true, columns: Object.keys(sent.old),
    });
  }
  for (const name of session.tables.keys()) {
    const changes = await session.store.list("changes", name);
    for (const [key, { kind, at, old }] of changes.sort(([, a], [, b]) => a.seq - b.seq)) {
      result.push({
        table: name, key: keyValues(session, name, String(key)), kind, at, isSent: false,
        columns: Object.keys(old ?? {}),
      });
    }
  }
  return result;
}

/** @param {Session} session @param {number} limit @returns {Promise<RefusedChange[]>} */
export async function refusedChanges(session, limit) {
  const entries = [
    ...await session.store.list("refused", ""), ...await session.store.list("refused", "blocked"),
  ];
  return entries.slice(0, limit).map(([, entry]) => ({
    ...entry, list: "refused", key: keyValues(session, entry.table, entry.key),
    isBlocked: entry.isBlocked ?? false,
  }));
}

/** @param {Session} session @param {number} limit @returns {Promise<Conflict[]>} */
export async function conflicts(session, limit) {
  const entries = await session.store.list("overruled", "");
  return entries.slice(0, limit).map(([, entry]) => ({
    ...entry, list: "conflicts", key: keyValues(session, entry.table, entry.key),
  }));
}

/** @param {Session} session @param {number} limit */
export async function withheldRows(session, limit) {
  /** @type {{ table: string, key: Value[], column: string, reason: string }[]} */
  const result = [];
  for (const name of session.tables.keys()) {
    for (const [, entry] of await session.store.list("withheld", name)) {
      result.push({ ...entry, key: keyValues(session, name, entry.key) });
    }
  }
  return result.slice(0, limit);
}

/** The entry is off its list already. */
export class Decided extends Error {}

/** @param {Session} session @param {RefusedChange | Conflict} entry */
export async function isListed(session, { list, id }) {
  return await session.store.get(storeOf(list), "", id) !== undefined;
}

/** @param {Session} session @param {RefusedChange | Conflict} entry */
export function dismiss(session, entry) {
  if ("isBlocked" in entry && entry.isBlocked) throw stillPending(entry.table);
  session.dirty();
  session.store.delete(storeOf(entry.list), "", entry.id);
}

/** @param {"refused" | "conflicts"} list */
function storeOf(list) { return list === "refused" ? "refused" : "overruled"; }

/** @param {string} table */
export function stillPending(table) {
  return misuse(
    "resubmitBlocked",
    `The change of ${table} is still pending. Correct the row, and the change is sent.`);
}

/** The changes that were refused as one group with an entry. */
export async function groupOf(
  /** @type {Session} */ session, /** @type {RefusedChange} */ entry) {
  const { group } = /** @type {{ group?: string | null }} */ (entry);
  if (!group) return [entry];
  const all = await refusedChanges(session, Infinity);
  return all.filter((one) => /** @type {any} */ (one).group === group);
}

/**
 * What to write for an entry. `values` is `null` for a delete. `whole` is the rest of the row, in
 * case it is gone.
 *
 * @typedef {{ table: string, key: Value[], values: Row | null, whole: Row | null }} Wish
 */

/**
 * What the merge left out of the other side.
 *
 * @param {Session["tables"]} tables
 * @param {Conflict} entry
 * @returns {Wish | null} `null` where it left out nothing.
 */
export function keptTheirs(tables, { table: name, key, theirs, result }) {
  if (theirs === null) return result && { table: name, key, values: null, whole: null };
  const table = tables.get(name);
  const values = Object.fromEntries(Object.entries(theirs).filter(([one, value]) => {
    const column = table?.columnNamed(one);
    return column && !column.isGenerated && !table?.isKey(column.name)
      && !(result && table?.areEqual(column.name, own(result, one), value));
  }));
  if (table && Object.keys(values).length === 0) return null;
  return { table: name, key, values, whole: result ? null : theirs };
}

/** The present names of columns that may be written. @param {Table} table @param {Row} row */
function writable(table, row) {
  return Object.fromEntries(Object.entries(row).flatMap(([name, value]) => {
    const column = table.columnNamed(name);
    return column && !column.isGenerated && !table.isKey(column.name)
      ? [[column.name, value]] : [];
  }));
}

/** @param {string} table @param {string} why */
function cannotWrite(table, why) {
  return misuse(
    "resubmitBlocked", `${why} Write the row of ${table} by hand, and dismiss the change.`);
}

/** The entry stays as long as it has the only copy of a value. @param {Table} table */
function checkColumns(table, /** @type {Row} */ values) {
  const written = Object.entries(values).filter(([, value]) => value !== null);
  const gone = written.find(([name]) => !table.columnNamed(name));
  if (gone) throw cannotWrite(table.name, `The column ${gone[0]} is not here.`);
  const places = Object.keys(values).filter((name) => !table.isKey(name));
  if (places.length > 0 && Object.keys(writable(table, values)).length === 0) {
    throw cannotWrite(table.name, `Only the hub writes ${places.join(", ")}.`);
  }
}

/**
 * Writes what an entry asked for once more, as the app itself would.
 *
 * @param {WriteTransaction} write
 * @param {Session["tables"]} tables
 * @param {Wish} wish
 */
export async function writeAgain(write, tables, { table: name, key, values, whole }) {
  const table = tables.get(name);
  if (!table) throw noSuchTable(name);
  const target = write.table(name);
  if (values === null) {
    await target.delete(key);
    return;
  }
  checkColumns(table, values);
  if (await target.get(key) !== null) {
    await target.update(key, writable(table, values));
    return;
  }
  if (whole === null) {
    throw cannotWrite(name, "The row is gone, and only the edited columns are known.");
  }
  await target.insert({ ...writable(table, { ...whole, ...values }), ...table.givenKey(key) });
}
