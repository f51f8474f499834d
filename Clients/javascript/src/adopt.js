// Takes over what the hub says of itself: its schema, its limits, and what it has suspended.

import { decode, key as keyCodec } from "./codec.js";
import { MoorageError } from "./errors.js";
import { rights as rightsCodec } from "./frames.js";
import { addKeys } from "./keys.js";
import { listDropped, listRecovered } from "./lists.js";
import { schemaTables } from "./messages.js";
import { bare, own } from "./own.js";
import { shown } from "./query.js";
import { localTables } from "./tables.js";
import { columnType, converted, fromWire, UNKNOWN } from "./values.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./tables.js").Layout} Layout */
/** @typedef {import("./fold.js").Row} Row */
/** @typedef {import("./fold.js").Change} Change */

/** @param {Session} session @param {string} hub */
function checkHub({ state }, hub) {
  if (state.hub === null || state.hub === hub) return;
  throw new MoorageError(
    "differentHub",
    `The replica belongs to the hub ${state.hub}, and the hub ${hub} answered. Nothing changed. `
      + "Correct the address, or open a replica of another name.");
}

/**
 * Adopts a welcome.
 *
 * @param {Session} session
 * @param {any} welcome
 * @param {string[]} requested The scopes of the same request.
 */
export async function adoptWelcome(session, welcome, requested) {
  const { state } = session;
  checkHub(session, welcome.hub);
  session.dirty();
  state.hub = welcome.hub;
  // The hub knows the replica by its id now, and whose it is.
  state.formerly = null;
  state.user = welcome.user ?? null;
  const { batchRows, batchBytes, valueBytes } = welcome.limits;
  const limit = (/** @type {number | bigint} */ count) => Math.max(1, Number(count));
  state.limits = {
    batchRows: limit(batchRows), batchBytes: limit(batchBytes), valueBytes: limit(valueBytes),
  };
  state.unavailable = requested.filter((scope) => welcome.unavailable.includes(scope));
  addKeys(state, welcome.keys);
  if (welcome.rights) {
    state.rights = welcome.rights.version;
    session.store.put("meta", "", "rights", rightsCodec.write(welcome.rights));
  }
  if (welcome.tables) await adoptSchema(session, welcome.schema, welcome.tables);
  suspend(session, welcome.suspended);
}

/** @param {Session} session @param {any} answer Of `GET /v1/schema`. */
export async function adoptSchemaAnswer(session, answer) {
  checkHub(session, answer.hub);
  session.state.hub = answer.hub;
  await adoptSchema(session, answer.version, answer.tables);
}

/** @param {Session} session @param {{ name: string, reason: string, code?: string }[]} suspended */
function suspend(session, suspended) {
  for (const table of session.tables.values()) {
    // The hub names what it suspends for everybody as the central database does. If a table is
    // there several times, the last one counts.
    const entry = suspended.findLast(({ name }) => name === table.name)
      ?? suspended.findLast(({ name }) => name === table.central);
    const state = session.tableState(table.name);
    const wasSuspended = state.hub !== null;
    state.hub = entry ? { code: entry.code ?? "tableSuspended", reason: entry.reason } : null;
    if (wasSuspended && !entry) session.isWork = true;
  }
}

/** @param {Session} session @param {string} version @param {any[]} tables */
async function adoptSchema(session, version, tables) {
  session.store.put("meta", "", "schema", schemaTables.write(tables));
  session.state.schema = version;
  await relist(session, tables);
}

/**
 * Gives the rows the form of the app's list and of the hub's schema.
 *
 * @param {Session} session
 * @param {any[] | null} [schema] The stored one without it.
 */
export async function relist(session, schema) {
  const { core, state } = session;
  let tables = schema;
  if (tables === undefined) {
    const stored = await session.store.get("meta", "", "schema");
    tables = stored === undefined ? null : decode(schemaTables, stored);
  }
  const before = new Map(session.tables);
  session.tables = localTables(tables ?? null, core.listed, state.layouts);
  for (const table of session.tables.values()) {
    if (!table.isKnown || table.problem !== null) continue;
    await restore(session, table, state.layouts[table.name]);
    state.layouts[table.name] = table.layout;
    // A table that was only sent begins to be received: its rows are not known to be at the hub.
    if (before.get(table.name)?.isReceived === false && table.isReceived) {
      session.beginCopy(table.name);
    }
  }
  state.listed = core.listedText;
  state.stamp += 1;
  session.dirty();
}

/** @param {Table} table @param {Layout} layout */
function isSame(table, layout) {
  const columns = Object.entries(layout.columns);
  if (layout.key.join("\0") !== table.key.join("\0")) return false;
  return columns.length === table.columns.length && columns.every(([name, { central, type }]) => {
    const column = table.byName.get(name);
    return column?.central === central && column.type.name === type;
  });
}

/**
 * Stores the rows and changes of a table in its new form: other names, other types, or types for
 * the first time.
 *
 * @param {Session} session
 * @param {Table} table
 * @param {Layout | undefined} layout `undefined` before the first contact.
 */
async function restore(session, table, layout) {
  if (layout && isSame(table, layout)) return;
  const form = new Form(table, layout, session.core.listed?.[table.name]?.key);
  if (layout && form.isReshaped) session.readAgain(table.name);
  const rows = await session.store.list("rows", table.name);
  const changes = await session.store.list("changes", table.name);
  session.store.clear("rows", table.name);
  session.store.clear("changes", table.name);
  /** @type {Map<string, string>} */
  const keys = new Map();
  /** @type {Set<string>} */
  const stored = new Set();
  const formerRows = new Map(rows.map(([key, { v }]) => [String(key), v]));
  for (const [key, { g, v }] of rows) {
    const row = form.row(v);
    const newKey = table.keyText(row);
    if (stored.has(newKey)) {
      listRecovered(session, table.name, newKey, row, "sameKey");
      continue;
    }
    stored.add(newKey);
    keys.set(String(key), newKey);
    session.store.put("rows", table.name, newKey, { g, v: row });
  }
  for (const [key, change] of changes) {
    const former = String(key);
    const row = formerRows.get(former);
    // The change of a listed row goes with it.
    if (row && !keys.has(former)) continue;
    const newKey = keys.get(former)
      ?? (change.row ? table.keyText(form.row(change.row)) : form.keyText(former));
    if (row) form.listDropped(session, change, row, newKey);
    session.store.put("changes", table.name, newKey, form.change(change));
  }
  for (const list of ["refused", "overruled"]) {
    await session.store.each(list, "", (id, entry) => {
      if (entry.table !== table.name) return;
      session.store.put(list, "", id, { ...entry, key: form.keyText(entry.key) });
    });
  }
  session.changedTables.add(table.name);
}

/** How rows of a table change their form. */
class Form {
  /**
   * @param {Table} table
   * @param {Layout | undefined} layout
   * @param {string[]} [key] The columns of the key, where no layout says so.
   */
  constructor(table, layout, key) {
    this.table = table;
    this.layout = layout;
    this.key = layout?.key ?? key ?? table.key;
    /** @type {Map<string, import("./tables.js").Column | undefined>} */
    this.columns = new Map();
  }

  /** How a column is stored. @param {string} name */
  #stored(name) { return this.layout && own(this.layout.columns, name); }

  /** The column that a stored name means now. @param {string} name */
  column(name) {
    if (!this.columns.has(name)) {
      const central = this.#stored(name)?.central;
      const found = this.table.columnNamed(name)
        ?? this.table.columns.find((column) => central && column.names.includes(central));
      this.columns.set(name, found);
    }
    return this.columns.get(name);
  }

  /** A stored key in its new form, or as it was if that is not known. @param {string} text */
  keyText(text) {
    const values = decode(keyCodec, text);
    const row = this.row(Object.fromEntries(this.key.map((name, index) => [
      name, fromWire(columnType(this.#stored(name)?.type ?? "") ?? UNKNOWN, values[index]),
    ])));
    const isKnown = values.length === this.table.key.length
      && this.table.key.every((name) => own(row, name) !== undefined);
    return isKnown ? this.table.keyText(row) : text;
  }

  /** Whether rows get or lose columns, values have other types, or the key another order. */
  get isReshaped() {
    const stored = Object.entries(this.layout?.columns ?? {});
    const found = stored.map(([name, { type }]) => {
      const column = this.column(name);
      return column?.type.name === type ? column : undefined;
    });
    return found.includes(undefined) || new Set(found).size !== this.table.columns.length
      || this.key.map((name) => this.column(name)?.name).join("\0") !== this.table.key.join("\0");
  }

  /** @param {Row} row @returns {Row} */
  row(row) {
    /** @type {Row} */
    const result = bare();
    for (const [name, value] of Object.entries(row)) {
      const column = this.column(name);
      if (column) result[column.name] = this.#value(name, column, value);
    }
    return result;
  }

  /** @param {string} name @param {import("./tables.js").Column} column */
  #value(name, column, /** @type {import("./values.js").Value} */ value) {
    const former = columnType(this.#stored(name)?.type ?? "") ?? UNKNOWN;
    return former.name === column.type.name ? value : converted(column.type, value);
  }

  /** @param {Change} change @returns {Change} */
  change(change) {
    const { old, row, sinceSent } = change;
    return {
      ...change,
      ...old && { old: this.row(old) },
      // A row that is inserted again later has edits in all columns.
      ...row && { row: shown(this.table, this.row(row)) },
      ...sinceSent && { sinceSent: this.row(sinceSent) },
    };
  }

  /**
   * Lists what the app wrote into columns that it may not write, or that are gone. It is not sent.
   *
   * @param {Session} session
   * @param {Change} change
   * @param {Row} row
   * @param {string} key
   */
  listDropped(session, change, row, key) {
    const written = change.kind === "insert" ? Object.keys(row) : Object.keys(change.old ?? {});
    const isFirst = this.layout === undefined;
    const dropped = written.filter((name) => {
      const column = this.column(name);
      return own(row, name) !== null && (!column || (isFirst && column.isGenerated));
    });
    listDropped(
      session, this.table.name, key, Object.fromEntries(dropped.map((name) => [name, row[name]])));
  }
}
