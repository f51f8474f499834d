// Carries out the hub's answer to a batch: lists what was refused or lost, and corrects what was
// edited since (docs/reference/client.md, Applying outcomes).

import { storeBatch } from "./batch.js";
import { decode } from "./codec.js";
import { violation } from "./errors.js";
import { folded } from "./fold.js";
import { batch as batchCodec } from "./messages.js";
import { own } from "./own.js";
import { shown } from "./query.js";
import { followRekeyed } from "./rekey.js";
import { converted, fromWire, UNKNOWN } from "./values.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./values.js").Value} Value */
/** @typedef {import("./fold.js").Row} Row */
/** @typedef {import("./fold.js").Change} Change */

/**
 * A change of a batch, in the app's names and values.
 *
 * @typedef {object} Sent
 * @property {Table} table
 * @property {string} key
 * @property {"insert" | "update" | "delete" | "refetch"} kind
 * @property {number} at
 * @property {boolean} isAgain
 * @property {Row} row Of an insert or delete.
 * @property {Row} old Of an update: the before-images of the columns that it changes.
 * @property {Row} now Of an update: their new values.
 * @property {Row} dropped What it writes into columns that are not here any more.
 * @property {string | null} group
 * @property {(pairs: [number, import("./values.js").WireValue][] | undefined) => Row | null} named
 *   Values of the answer, by column.
 */

/**
 * A column that the hub stored with another value than the pushed one.
 *
 * @typedef {{ table: Table, key: string, column: string, pushed: Value, stored: Value }} Stored
 */

/**
 * The changes of a stored batch. One of a table that is not here any more is `null`.
 *
 * @param {Session} session
 * @param {{ text: string, schema: string, keys?: Record<string, string[]> }} stored
 * @returns {(Sent | null)[]}
 */
export function sentChanges(session, { text, schema, keys = {} }) {
  const batch = decode(batchCodec, text);
  // A column may have another type since: its values take the new form.
  const valueOf = schema === session.state.schema ? fromWire
    : (/** @type {any} */ type, /** @type {any} */ value) => converted(type, fromWire(type, value));
  return batch.changes.map((/** @type {any} */ change) => {
    const { name, columns } = batch.tables[change.table];
    const table = session.tables.get(name);
    if (!table) return null;
    const key = table.keyTextOfWire(change.key, own(keys, name));
    return sentChange(table, key, columns, change, batch.nonce, valueOf);
  });
}

/**
 * @param {Table} table
 * @param {string} key
 * @param {string[]} names
 * @param {any} change
 * @param {string} nonce
 * @param {typeof fromWire} valueOf
 * @returns {Sent}
 */
function sentChange(table, key, names, change, nonce, valueOf) {
  // The batch has the names of its time.
  const columns = names.map((name) => table.columnNamed(name));
  const named = (/** @type {[number, import("./values.js").WireValue][]} */ pairs) =>
    Object.fromEntries(pairs.flatMap(([place, value]) => {
      const column = columns[place];
      return column ? [[column.name, valueOf(column.type, value)]] : [];
    }));
  const edits = (change.update ?? []).filter(
    (/** @type {any[]} */ [place, old, now]) => {
      const column = columns[place];
      return column && !table.areEqual(
        column.name, valueOf(column.type, old), valueOf(column.type, now));
    });
  const whole = named([...(change.insert ?? change.delete ?? []).entries()]);
  return {
    table,
    key,
    kind: change.insert ? "insert"
      : change.delete ? "delete" : change.update ? "update" : "refetch",
    at: Number(change.at),
    isAgain: change.again,
    // Of a delete, with columns that came since: an insert that follows edits them.
    row: change.delete ? shown(table, whole) : whole,
    old: named(edits.map((/** @type {any[]} */ [place, old]) => [place, old])),
    now: named(edits.map((/** @type {any[]} */ [place, , now]) => [place, now])),
    dropped: droppedValues(names, columns, change),
    group: change.group === undefined ? null : `${nonce}-${change.group}`,
    named: (pairs) => (pairs === undefined ? null : named(pairs)),
  };
}

/**
 * @param {string[]} names
 * @param {(import("./tables.js").Column | undefined)[]} columns
 * @param {any} change
 * @returns {Row}
 */
function droppedValues(names, columns, change) {
  /** @type {[number, any][]} */
  const written = change.insert ? [...change.insert.entries()]
    : (change.update ?? []).map((/** @type {any[]} */ [place, , now]) => [place, now]);
  return Object.fromEntries(written.filter(([place, value]) => !columns[place] && value !== null)
    .map(([place, value]) => [names[place], fromWire(UNKNOWN, value)]));
}

/**
 * @param {Session} session
 * @param {import("./batch.js").StoredBatch} batch
 * @param {any} outcomes
 * @param {{ here: number, hub: number }} time
 * @returns {Promise<{ refused: number, stored: Stored[], refusedRows: Sent[] }>}
 *   `refusedRows`: refused inserts whose rows no page removes.
 */
export async function applyOutcomes(session, batch, outcomes, time) {
  const changes = sentChanges(session, batch);
  const isWithoutList = outcomes.status === "alreadyApplied" && outcomes.list.length === 0;
  if (!isWithoutList && outcomes.list.length !== changes.length) {
    throw violation("the outcomes are not those of the batch");
  }
  /** @type {{ refused: number, stored: Stored[], refusedRows: Sent[] }} */
  const result = { refused: 0, stored: [], refusedRows: [] };
  const answered = changes.flatMap((sent, index) =>
    (sent && !isWithoutList ? [{ sent, outcome: outcomes.list[index] }] : []));
  for (const { sent, outcome } of answered) {
    const [code, message] = outcome.refused ?? [];
    if (code === "resurrect" && sent.kind === "update") {
      await sendWhole(session, sent);
    } else if (code !== undefined) {
      result.refused += 1;
      await refuse(session, sent, code, message, time.here);
      if (sent.kind === "insert" && !sent.isAgain && !sent.table.isReceived) {
        result.refusedRows.push(sent);
      }
      await putBack(session, sent);
    } else {
      if (outcome.lost && sent.kind !== "refetch") {
        overrule(session, sent, outcome.lost, time.here);
      }
      // The hub has the row as this device sent it, or has it no more.
      if (sent.kind === "insert" || sent.kind === "delete") {
        session.store.delete("withheld", sent.table.name, sent.key);
      }
    }
  }
  // By now a refused row with later edits is in the log again, and follows a rekeyed one.
  for (const { sent, outcome } of answered) {
    if (outcome.refused === undefined && outcome.stored.length > 0) {
      result.stored.push(...await correct(session, sent, outcome, time.here));
    }
  }
  for (const sent of changes) if (sent) await confirm(session, sent);
  finish(session, batch, time);
  return result;
}

/**
 * @param {Session} session
 * @param {import("./batch.js").StoredBatch} batch
 * @param {{ here: number, hub: number }} time
 */
function finish(session, batch, time) {
  storeBatch(session, null);
  const { text, schema, keys } = batch;
  session.add("answered", { text, schema, keys, at: time.here, hubAt: time.hub });
  session.state.number = batch.number;
  session.state.batchRows = null;
}

/** No page brings a row that the hub stored as it was pushed. @param {Session} session */
async function confirm(session, /** @type {Sent} */ { kind, table, key, row: pushed }) {
  if (kind !== "insert") return;
  const row = await session.row(table, key);
  if (!row) return;
  // A column that this device did not know when the row was inserted has what went up.
  const isWhole = table.columns.every(({ name }) => own(row, name) !== undefined);
  if (isWhole && !session.tableState(table.name).isUnconfirmed) return;
  session.putRow(table, key, { ...pushed, ...row });
}

/** The hub asks for the whole row, because it deleted the row. @param {Session} session */
async function sendWhole(session, /** @type {Sent} */ { table, key, at, isAgain }) {
  // A row that was deleted here, too, stays deleted.
  if (await session.row(table, key) === undefined) return;
  await session.prepend(
    table, key, { kind: "insert", at, again: false, seq: session.nextNumber() });
}

/**
 * @param {Session} session
 * @param {Sent} sent
 * @param {string} code
 * @param {string} message
 * @param {number} at
 */
async function refuse(session, sent, code, message, at) {
  const { table, key, kind, group } = sent;
  if (kind === "refetch") return;
  const entry = {
    table: table.name, key, kind, code, message, at, group,
    before: kind === "insert" ? null : kind === "delete" ? sent.row : sent.old,
    after: kind === "delete" ? null : kind === "insert" ? sent.row : sent.now,
  };
  // The page removes the row. With the whole of it, the app can insert it again.
  const isLost = kind === "update" && ["gone", "group"].includes(code);
  const row = isLost ? await session.row(table, key) : undefined;
  session.add("refused", row ? { ...entry, row: { ...row, ...sent.now } } : entry);
}

/**
 * @param {Session} session
 * @param {Sent} sent
 * @param {any} lost
 * @param {number} at
 */
function overrule(session, sent, lost, at) {
  const { table, key, kind } = sent;
  const theirs = sent.named(lost.theirs);
  // Columns that merged without a conflict lost nothing.
  const inConflict = (/** @type {Row} */ values) => Object.fromEntries(
    Object.entries(values).filter(([name]) => theirs === null || Object.hasOwn(theirs, name)));
  session.add("overruled", {
    table: table.name,
    key,
    kind,
    base: kind === "insert" ? null : kind === "delete" ? sent.row : inConflict(sent.old),
    mine: kind === "insert" ? sent.row : kind === "delete" ? null : inConflict(sent.now),
    theirs,
    result: sent.named(lost.result),
    rule: lost.rule ?? null,
    at,
  });
}

/** Bases what was edited after a refused change on what the hub has. @param {Session} session */
async function putBack(session, /** @type {Sent} */ sent) {
  const { table, key, kind, at } = sent;
  const later = await session.change(table, key);
  if (!later) return;
  if (kind === "update") {
    for (const [name, old] of Object.entries(sent.old)) {
      replaceBefore(session, sent, later, name, sent.now[name], old);
    }
  } else if (kind !== "refetch") {
    // The hub never got the row, or never deleted it.
    const change = { kind, at, again: sent.isAgain, seq: later.seq };
    session.putChange(table, key, folded(/** @type {Change} */ (
      kind === "insert" ? { ...change, ...(sent.isAgain ? { sinceSent: {} } : {}) }
        : { ...change, row: sent.row }), later));
  }
}

/**
 * Replaces the pushed value in the before-image of a later change.
 *
 * @param {Session} session
 * @param {Sent} sent
 * @param {Change} later
 * @param {string} name
 * @param {Value} pushed
 * @param {Value} value What the hub has.
 */
function replaceBefore(session, { table, key }, later, name, pushed, value) {
  const before = later.kind === "update" ? later.old : later.kind === "delete" ? later.row : null;
  if (!before || !Object.hasOwn(before, name)) return;
  if (!table.areEqual(name, before[name], pushed)) return;
  before[name] = value;
  session.putChange(table, key, later);
}

/**
 * Corrects later changes of a row that the hub stored with other values, so that the replica has
 * no conflict with itself.
 *
 * @param {Session} session
 * @param {Sent} sent
 * @param {any} outcome
 * @param {number} at
 * @returns {Promise<Stored[]>}
 */
async function correct(session, sent, outcome, at) {
  const stored = /** @type {Row} */ (sent.named(outcome.stored));
  const newKey = sent.kind === "insert" ? await followRekeyed(session, sent, stored, at) : null;
  const { table } = sent;
  const key = newKey ?? sent.key;
  const pushed = sent.kind === "insert" ? sent.row : sent.now;
  const columns = Object.keys(stored).filter(
    (name) => !table.isKey(name) && Object.hasOwn(pushed, name));
  const later = await session.change(table, key);
  return columns.map((column) => {
    if (later) {
      replaceBefore(
        session, { ...sent, key }, later, column, pushed[column], stored[column]);
    }
    return { table, key, column, pushed: pushed[column], stored: stored[column] };
  });
}
