// Prepares a batch: changes of the log are stored as text with a number and a nonce, and leave the
// log in the same transaction. From then on the text goes out byte for byte, until it is answered
// (docs/reference/client.md, Batches).

import { own } from "./own.js";
import { Selection } from "./selection.js";
import { batch as batchCodec } from "./messages.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./making.js").Made} Made */

/**
 * A stored batch.
 *
 * @typedef {object} StoredBatch
 * @property {number} number
 * @property {string} nonce
 * @property {string} text The batch as JSON.
 * @property {number} count The number of its changes.
 * @property {string} schema The schema version for which it was made.
 * @property {Record<string, string[]>} keys The columns of each table's key at that time.
 */

/** How much a batch takes. Rows that must go together may exceed it, up to the hub's limits. */
export const BATCH_LIMITS = { rows: 5_000, bytes: 4_000_000 };

/** @param {Session} session @returns {Promise<StoredBatch | undefined>} */
export function storedBatch(session) { return session.store.get("meta", "", "batch"); }

/** @param {Session} session @param {StoredBatch | null} batch */
export function storeBatch(session, batch) {
  session.dirty();
  session.state.sent = batch?.count ?? 0;
  if (batch) session.store.put("meta", "", "batch", batch);
  else session.store.delete("meta", "", "batch");
}

/**
 * The in-flight batch, or a new one.
 *
 * @param {Session} session
 * @param {{ rows: number, bytes: number }} [limits]
 * @returns {Promise<{ batch: StoredBatch | null, hasMore: boolean }>}
 *   `hasMore`: changes remain that the next batch can take.
 */
export async function prepareBatch(session, limits = BATCH_LIMITS) {
  const { state, core } = session;
  const inFlight = await storedBatch(session);
  if (inFlight) return { batch: inFlight, hasMore: await hasSendable(session) };
  const selection = new Selection(session, {
    rows: Math.min(limits.rows, state.limits.batchRows, state.batchRows ?? Infinity),
    bytes: Math.min(limits.bytes, state.limits.batchBytes),
  });
  await selection.select();
  const { taken } = selection;
  await listBlocked(session, selection);
  for (const { table, key } of taken) session.deleteChange(table, key);
  if (taken.length === 0) return { batch: null, hasMore: false };
  const number = state.number + 1;
  const nonce = core.newID();
  const batch = {
    number,
    nonce,
    text: batchCodec.write({ number, nonce, ...contentOf(session, taken, selection) }),
    count: taken.length,
    schema: /** @type {string} */ (state.schema),
    keys: Object.fromEntries(taken.map(({ table }) => [table.name, table.key])),
  };
  storeBatch(session, batch);
  return { batch, hasMore: selection.hasMore };
}

/** Whether the log has changes of tables that are sent. @param {Session} session */
export async function hasSendable(session) {
  for (const { name } of session.active) {
    if (await session.store.count("changes", name) > 0) return true;
  }
  return false;
}

/** @param {Session} session @param {Selection} selection */
async function listBlocked(session, selection) {
  const before = await session.store.list("refused", "blocked");
  if (before.length === 0 && selection.blocked.length === 0) return;
  for (const [id, { table, key }] of before) {
    // A batch that is full leaves changes to the next one.
    if (selection.hasSeen(table, key)) session.store.delete("refused", "blocked", id);
  }
  for (const { table, key, change, refusal } of selection.blocked) {
    session.store.put("refused", "blocked", `${table.name} ${key}`, {
      id: `${table.name} ${key}`, table: table.name, key, kind: change.kind, before: null,
      after: null, ...refusal, at: change.at, isBlocked: true,
    });
  }
  session.dirty();
}

/**
 * @param {Session} session
 * @param {import("./selection.js").Taken[]} taken
 * @param {Selection} selection
 */
function contentOf(session, taken, selection) {
  const names = new Set(taken.map(({ table }) => table.name));
  const tables = session.active.filter(({ name }) => names.has(name));
  const places = new Map(tables.map(({ name }, place) => [name, place]));
  return {
    preparedAt: session.core.now(),
    tables: tables.map(({ name, columns }) => ({
      name, columns: columns.map((column) => column.name),
    })),
    changes: ordered(taken, tables).map((one) => ({
      table: places.get(one.table.name), key: one.wireKey, at: one.change.at,
      again: one.change.again && one.operation.refetch !== true,
      group: selection.groupNumber(one), fills: [], ...one.operation,
    })),
  };
}

/**
 * The order in which changes can be made: inserts and updates, parents before children; refetches;
 * deletes, children before parents.
 *
 * @param {import("./selection.js").Taken[]} taken
 * @param {Table[]} tables Parents before children.
 */
function ordered(taken, tables) {
  /** @param {(one: import("./selection.js").Taken) => boolean} isWanted */
  const byTable = (isWanted) => tables.map((table) =>
    parentsFirst(table, taken.filter((one) => one.table === table && isWanted(one))));
  const upserts = byTable(({ operation }) => !!(operation.insert || operation.update));
  const refetches = taken.filter(({ operation }) => operation.refetch);
  const deletes = byTable(({ operation }) => operation.delete !== undefined);
  return [...upserts.flat(), ...refetches, ...deletes.flat().reverse()];
}

/**
 * The changes of a table that may refer to itself, parents before children.
 *
 * @param {Table} table
 * @param {import("./selection.js").Taken[]} changes
 */
function parentsFirst(table, changes) {
  const toItself = table.foreign.filter(({ table: parent, references }) =>
    parent === table.name && references.join("\0") === table.key.join("\0"));
  if (toItself.length === 0 || changes.length < 2) return changes;
  const byKey = new Map(changes.map((one) => [one.key, one]));
  /** @param {import("./selection.js").Taken} one */
  const parents = (one) => toItself.flatMap(({ columns }) => {
    const values = one.row ?? one.change.row;
    if (!values || columns.some((name) => (own(values, name) ?? null) === null)) return [];
    const key = table.keyText(Object.fromEntries(
      columns.map((name, index) => [table.key[index], values[name]])));
    return byKey.get(key) ?? [];
  });
  /** @type {import("./selection.js").Taken[]} */
  const result = [];
  /** @type {Map<import("./selection.js").Taken, "open" | "placed">} */
  const states = new Map();
  for (const start of changes) {
    // Without recursion: a chain of parents may be as long as the log.
    const stack = [start];
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      const state = states.get(top);
      if (state === undefined) {
        states.set(top, "open");
        stack.push(...parents(top).filter((parent) => !states.has(parent)));
        continue;
      }
      stack.pop();
      if (state === "open") {
        states.set(top, "placed");
        result.push(top);
      }
    }
  }
  return result;
}

