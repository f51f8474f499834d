// What all parts of a replica share, and one transaction with what it needs at hand.

import { decode } from "./codec.js";
import { emptied, MoorageError } from "./errors.js";
import { folded } from "./fold.js";
import { rights as rightsCodec } from "./frames.js";
import { cursor as cursorCodec, schemaTables } from "./messages.js";
import { Mutex } from "./mutex.js";
import { bare } from "./own.js";
import { localTables } from "./tables.js";
import { uuidText } from "./values.js";

/** @typedef {import("./store.js").Transaction} Transaction */
/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./fold.js").Row} Row */
/** @typedef {import("./fold.js").Change} Change */

/** The form in which a replica is stored. */
const FORMAT = 1;

/**
 * @typedef {object} TableState
 * @property {number} generation The number of the present copy of the table.
 * @property {boolean} isUnconfirmed Rows of an earlier copy are not known to be at the hub.
 * @property {import("./tables.js").Problem | null} hub Why the hub has suspended the table.
 */

/** @param {() => string} newID */
export function firstState(newID) {
  return {
    format: FORMAT,
    /** Grows with each commit. */
    revision: 0,
    replica: newID(),
    /** @type {string | null} The id before this one, until a hub has welcomed the new one. */
    formerly: null,
    /** @type {string | null} */
    hub: null,
    /** @type {string | null} */
    user: null,
    /** The last batch that the hub answered. */
    number: 0,
    /** How many changes the in-flight batch has. */
    sent: 0,
    cursor: "{}",
    /** @type {string[]} Tables that the next request reads from the start. */
    reshaped: [],
    limits: { batchRows: 10_000, batchBytes: 8_000_000, valueBytes: 16_000_000 },
    /** @type {number | null} Rows of the next batch, after one that the hub did not accept. */
    batchRows: null,
    /** @type {string | null} */
    schema: null,
    /** @type {string | null} */
    rights: null,
    /** @type {string | null} Names the last `deleteEverything`. */
    emptied: null,
    /** Grows when the tables change. */
    stamp: 0,
    /** @type {string | null} The app's list of tables. */
    listed: null,
    /** @type {Record<string, import("./tables.js").Layout>} */
    layouts: bare(),
    /** @type {Record<string, TableState>} */
    tables: bare(),
    /** @type {Record<string, { next: number | bigint, last: number | bigint }[]>} */
    keys: bare(),
    /** @type {Record<string, import("./scopes.js").Subscription>} */
    scopes: bare(),
    /** @type {string[]} Requested scopes that the hub does not give. */
    unavailable: [],
    /** @type {{ here: number, hub: number } | null} When all rows of the hub were here. */
    caughtUp: null,
    /** @type {{ done: number, expected: number } | null} How far the scan is. */
    progress: null,
    /** When the lists were last searched for what is old. */
    searchedAt: 0,
    /** The next number for an edit, an entry of a list, or a group. */
    next: 1,
  };
}

/** @typedef {ReturnType<typeof firstState>} State */

/** The members of the state that have names of tables or scopes. */
const MAPS = /** @type {const} */ (["layouts", "tables", "keys", "scopes"]);

/**
 * @typedef {object} Commit What a commit changed.
 * @property {string[]} tables Tables with rows that changed.
 * @property {"local" | "hub"} source
 * @property {boolean} isWork Whether there is something new to send.
 * @property {number} revision The store's revision with this commit.
 */

export class Core {
  #mutex = new Mutex();
  /** @type {{ stamp: string, tables: Map<string, Table> } | null} */
  #tables = null;
  /** @type {Set<(commit: Commit) => void>} */
  #listeners = new Set();
  /** Whether the app's list of tables is the stored one. */
  isOpen = false;
  /** @type {string | null} The last `deleteEverything` of which the app of this tab knows. */
  emptied = null;

  /**
   * @param {object} parts
   * @param {import("./store.js").Store} parts.store
   * @param {Record<string, import("./tables.js").TableOptions> | null} parts.listed
   * @param {() => number} [parts.now]
   * @param {(bytes: Uint8Array) => void} [parts.randomize]
   * @param {number} [parts.retention]
   */
  constructor({ store, listed, now, randomize, retention }) {
    this.store = store;
    this.listed = listed;
    this.listedText = JSON.stringify(sorted(listed));
    this.now = now ?? Date.now;
    this.randomize = randomize ?? ((bytes) => { globalThis.crypto.getRandomValues(bytes); });
    /** How long answered batches are kept, in milliseconds. */
    this.retention = retention ?? 90 * 86_400_000;
  }

  /** A random (version 4) UUID. `crypto.randomUUID` is missing from pages without TLS. */
  newID() {
    const bytes = new Uint8Array(16);
    this.randomize(bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    return uuidText(bytes);
  }

  /** @param {(commit: Commit) => void} listener */
  onCommit(listener) { this.#listeners.add(listener); }

  /** Runs work in the order of the calls, so that writes of this page do not meet. */
  get exclusively() { return this.#mutex; }

  /**
   * One transaction that may write.
   *
   * @template T
   * @param {(session: Session) => Promise<T>} work
   * @param {{ isDurable?: boolean, source?: "local" | "hub" }} [options]
   * @returns {Promise<T>}
   */
  async write(work, { isDurable = false, source = "hub" } = {}) {
    /** @type {Session | undefined} */
    let session;
    const result = await this.store.write(async (transaction) => {
      session = await this.#session(transaction);
      // What this tab writes is of the former user.
      if (this.isOpen && session.isEmptied) throw emptied();
      const value = await work(session);
      session.save();
      return value;
    }, isDurable);
    if (session?.isDirty) {
      const { changedTables, isWork, state: { revision } } = session;
      const commit = { tables: [...changedTables], source, isWork, revision };
      for (const listener of this.#listeners) listener(commit);
    }
    return result;
  }

  /** @template T @param {(session: Session) => Promise<T>} work @returns {Promise<T>} */
  read(work) {
    return this.store.read(async (transaction) => work(await this.#session(transaction)));
  }

  /** Goes on with what the store has, also if another tab deleted everything. */
  async begin() {
    this.emptied = await this.read(async ({ state }) => state.emptied ?? null);
    this.isOpen = true;
  }

  /** @param {Transaction} transaction */
  async #session(transaction) {
    const stored = await transaction.get("meta", "", "state");
    const state = stored ?? firstState(() => this.newID());
    // What the store gives back inherits again.
    for (const name of MAPS) state[name] = bare(state[name]);
    if (state.format > FORMAT) {
      throw new MoorageError(
        "metadataNewer", "A newer version of the library wrote this replica. Reload the page.");
    }
    if (state.listed !== null && state.listed !== this.listedText && this.isOpen) {
      throw new MoorageError(
        "metadataNewer",
        "Another tab opened the replica with another list of tables. Reload the page.");
    }
    return new Session(this, transaction, state, await this.#localTables(transaction, state));
  }

  /** @param {Transaction} transaction @param {State} state */
  async #localTables(transaction, state) {
    const stamp = `${state.replica} ${state.stamp}`;
    if (this.#tables?.stamp !== stamp) {
      const text = await transaction.get("meta", "", "schema");
      const schema = text === undefined ? null : decode(schemaTables, text);
      this.#tables = { stamp, tables: localTables(schema, this.listed, state.layouts) };
    }
    return this.#tables.tables;
  }
}

/** The same without the order of members. @param {any} content @returns {any} */
function sorted(content) {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return content;
  return Object.fromEntries(
    Object.keys(content).sort().map((name) => [name, sorted(content[name])]));
}

/** One transaction: the replica's state, its tables, and the rows and changes of the store. */
export class Session {
  /** @type {Set<string>} */
  changedTables = new Set();
  isWork = false;
  isDirty = false;

  /**
   * @param {Core} core
   * @param {Transaction} transaction
   * @param {State} state
   * @param {Map<string, Table>} tables
   */
  constructor(core, transaction, state, tables) {
    this.core = core;
    this.store = transaction;
    this.state = state;
    this.tables = tables;
  }

  /** Stores the state, if anything was written. */
  save() {
    if (!this.isDirty) return;
    this.state.revision += 1;
    this.store.put("meta", "", "state", this.state);
  }

  /** Says that the transaction writes. */
  dirty() { this.isDirty = true; }

  /** What the user may write; `null` before a hub has said so. */
  async rights() {
    const text = await this.store.get("meta", "", "rights");
    return text === undefined ? null : decode(rightsCodec, text);
  }

  /** Whether another tab deleted everything since the app of this one began. */
  get isEmptied() { return (this.state.emptied ?? null) !== this.core.emptied; }

  // MARK: Tables

  /** The tables that a request names. */
  get synced() {
    return [...this.tables.values()].filter((table) => table.isKnown && table.problem === null);
  }

  /** The tables whose changes are sent. */
  get active() { return this.synced.filter(({ name }) => this.tableState(name).hub === null); }

  /** @param {string} name @returns {TableState} */
  tableState(name) {
    this.state.tables[name] ??= { generation: 1, isUnconfirmed: false, hub: null };
    return this.state.tables[name];
  }

  /** Begins a new copy of a table: its rows are unconfirmed until the copy brings them. */
  beginCopy(/** @type {string} */ name) {
    const table = this.tableState(name);
    table.generation += 1;
    table.isUnconfirmed = true;
    this.dirty();
  }

  /**
   * Has the table read from the start, whatever the cursor says. Its rows lack values of a column,
   * or lost one that may come back before the hub hears of it.
   *
   * @param {string} name
   */
  readAgain(name) {
    this.state.reshaped = [...new Set([...this.state.reshaped, name])];
    this.dirty();
  }

  /** The replica's cursor. */
  get cursor() { return decode(cursorCodec, this.state.cursor); }

  /**
   * The cursor of the next request (docs/reference/protocol.md, 4.2). It is stored, so that pages
   * of an older request are dropped.
   */
  takeCursor() {
    const { state } = this;
    const { scan, ...cursor } = this.cursor;
    if (state.reshaped.length === 0) return { ...cursor, scan };
    for (const name of state.reshaped) {
      // No table has this signature, so the hub also sends what was removed since.
      if (Object.hasOwn(cursor.tables, name)) cursor.tables[name] = "";
    }
    cursor.brokenOff ??= scan?.upperBound;
    state.cursor = cursorCodec.write(cursor);
    state.reshaped = [];
    this.dirty();
    return cursor;
  }

  // MARK: Rows

  /** @param {Table} table @param {string} key @returns {Promise<Row | undefined>} */
  async row(table, key) { return (await this.store.get("rows", table.name, key))?.v; }

  /** @param {Table} table @param {string} key @param {Row} row */
  putRow(table, key, row) {
    this.dirty();
    this.changedTables.add(table.name);
    this.store.put("rows", table.name, key, { g: this.tableState(table.name).generation, v: row });
  }

  /** @param {Table} table @param {string} key */
  deleteRow(table, key) {
    this.dirty();
    this.changedTables.add(table.name);
    this.store.delete("rows", table.name, key);
  }

  // MARK: Local changes

  /** @param {Table} table @param {string} key @returns {Promise<Change | undefined>} */
  change(table, key) { return this.store.get("changes", table.name, key); }

  /** @param {Table} table @param {string} key @param {Change} change */
  putChange(table, key, change) {
    this.dirty();
    this.store.put("changes", table.name, key, change);
  }

  /** @param {Table} table @param {string} key */
  deleteChange(table, key) {
    this.dirty();
    this.store.delete("changes", table.name, key);
  }

  /** Puts a change in front of the later one of its row. */
  async prepend(
    /** @type {Table} */ table, /** @type {string} */ key, /** @type {Change} */ change) {
    const later = await this.change(table, key);
    this.putChange(table, key, later ? folded(change, later) : change);
    this.isWork = true;
  }

  /** Asks the hub what a row is, if nothing else asks for it. */
  async ask(/** @type {Table} */ table, /** @type {string} */ key, /** @type {number} */ at) {
    if (await this.change(table, key)) return;
    const isHere = await this.row(table, key) !== undefined;
    this.putChange(table, key, {
      at, again: false, seq: this.nextNumber(),
      ...(isHere ? { kind: "update", old: {} } : { kind: "refetch" }),
    });
    this.isWork = true;
  }

  /** The next number of the replica: none comes twice. */
  nextNumber() {
    this.dirty();
    this.state.next += 1;
    return this.state.next - 1;
  }

  // MARK: Lists

  /** @param {"refused" | "overruled" | "answered"} list @param {object} entry */
  add(list, entry) {
    const id = this.nextNumber();
    this.store.put(list, "", id, { id, ...entry });
  }
}
