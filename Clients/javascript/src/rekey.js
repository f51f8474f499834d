// Follows rows that were inserted here and that the hub stored with another key, because somebody
// else's row has the same one. Later edits go with the row, and so do unsent rows that refer to it.

import { writesAny } from "./fold.js";
import { listRecovered } from "./lists.js";
import { bare, own } from "./own.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./fold.js").Row} Row */

/** A row whose values changed: those that it had, and those that are others now. */
/** @typedef {{ table: Table, values: Row, now: Row }} Rekeyed */

/**
 * @param {Session} session
 * @param {import("./outcomes.js").Sent} sent
 * @param {Row} stored
 * @param {number} at
 * @returns {Promise<string | null>} The key that the row has now; `null` for the pushed one.
 */
export async function followRekeyed(session, sent, stored, at) {
  const { table, key, row: values } = sent;
  const local = await session.row(table, key);
  /** @type {Row} */
  const now = bare();
  for (const [name, value] of Object.entries(stored)) {
    if (table.areEqual(name, own(values, name), value)) continue;
    // If the app has changed the column since, rows with the old value do not mean this row.
    const isOld = table.isKey(name)
      || (local && table.areEqual(name, own(local, name), own(values, name)));
    if (isOld) now[name] = value;
  }
  if (Object.keys(now).length === 0) return null;
  const newKey = table.keyText({ ...values, ...now });
  if (newKey !== key) {
    if (!table.isReceived || await session.change(table, key)) {
      await rename(session, table, key, now);
    } else {
      // The page brings somebody else's row under this key, and this row under its new one.
      await forgetDelete(session, table, newKey);
    }
  }
  // Without recursion: a chain of rows may be as long as the log.
  /** @type {Rekeyed[]} */
  const open = [{ table, values, now }];
  for (let next = open.pop(); next; next = open.pop()) {
    open.push(...await rekeyBelow(session, next, at));
  }
  return newKey === key ? null : newKey;
}

/** Forgets an unsent delete under the new key: it is of a row that the hub no longer has. */
async function forgetDelete(
  /** @type {Session} */ session, /** @type {Table} */ table, /** @type {string} */ key) {
  if ((await session.change(table, key))?.kind === "delete") session.deleteChange(table, key);
}

/**
 * Gives a row of this device other values in its key.
 *
 * @param {Session} session
 * @param {Table} table
 * @param {string} key
 * @param {Row} now
 * @returns {Promise<boolean>} Whether it has the new key. If not, it was given up and listed.
 */
async function rename(session, table, key, now) {
  const row = await session.row(table, key);
  const change = await session.change(table, key);
  // A row that is deleted here has its key in the change alone.
  const values = { ...row ?? change?.row, ...now };
  const newKey = table.keyText(values);
  await forgetDelete(session, table, newKey);
  session.deleteChange(table, key);
  // A page may have brought somebody else's row under this key already.
  if (await session.row(table, newKey) !== undefined) {
    if (row) listRecovered(session, table.name, key, row, "notRekeyed");
    return false;
  }
  if (change) {
    const before = change.row ? { row: { ...change.row, ...now } } : {};
    session.putChange(table, newKey, { ...change, ...before });
  }
  if (row) {
    session.deleteRow(table, key);
    session.putRow(table, newKey, values);
  }
  return true;
}

/**
 * An unsent row that was made to refer to a row means that row, whatever its key is.
 *
 * @param {Session} session
 * @param {Rekeyed} row
 * @param {number} at
 * @returns {Promise<Rekeyed[]>}
 */
async function rekeyBelow(session, { table, values, now }, at) {
  /** @type {Rekeyed[]} */
  const rekeyed = [];
  for (const child of session.tables.values()) {
    for (const { columns, table: name, references } of child.foreign) {
      if (name !== table.name || !references.some((one) => Object.hasOwn(now, one))) continue;
      const named = references.map((one) => own(values, one) ?? null);
      if (named.includes(null)) continue;
      const changed = Object.fromEntries(references.flatMap(
        (one, index) => (Object.hasOwn(now, one) ? [[columns[index], now[one]]] : [])));
      for (const [key, change] of await session.store.list("changes", child.name)) {
        const below = await session.row(child, String(key));
        const refers = below && writesAny(change, columns) && columns.every(
          (column, index) => child.areEqual(column, own(below, column), named[index]));
        if (!refers) continue;
        if (await rekeyRow(session, child, String(key), changed, at)) {
          rekeyed.push({ table: child, values: below, now: changed });
        }
      }
    }
  }
  return rekeyed;
}

/**
 * @param {Session} session
 * @param {Table} table
 * @param {string} key
 * @param {Row} now
 * @param {number} at
 */
async function rekeyRow(session, table, key, now, at) {
  const row = /** @type {Row} */ (await session.row(table, key));
  const moved = { ...row, ...now };
  if (table.keyText(moved) === key) {
    session.putRow(table, key, moved);
    return true;
  }
  session.putRow(table, key, moved);
  const isRenamed = await rename(session, table, key, now);
  // A page may have brought somebody else's row under the old key, and this row's change blocked
  // it. So ask for that row.
  await session.ask(table, key, at);
  return isRenamed;
}
