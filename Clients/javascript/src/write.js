// One local write: what an app does in it is collected, and stored as one transaction at its end
// with the log of what changed.

import { misuse } from "./errors.js";
import { folded } from "./fold.js";
import { takeKey } from "./keys.js";
import { Mutex } from "./mutex.js";
import { bare, own } from "./own.js";
import { rightsOn } from "./rights.js";
import { TableWrite } from "./table-write.js";
import { areSame } from "./values.js";

/** @typedef {import("./values.js").Value} Value */
/** @typedef {import("./fold.js").Row} Row */
/** @typedef {import("./fold.js").Change} Change */
/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./session.js").Session} Session */

/** How many changes one write may have. */
export const MAXIMUM_CHANGES = 10_000;

/** Another tab changed what the write has read: the write runs again. */
export class Overtaken extends Error {}

/** A write under way. */
export class WriteTransaction {
  #core;
  #state;
  #tables;
  #rights;
  #isTogether;
  /** @type {Map<string, Map<string, Row | null>>} `null` for a row that is gone. */
  #rows = new Map();
  /** @type {Map<string, Map<string, Change>>} */
  #changes = new Map();
  /** @type {Map<string, Map<string, any>>} What it read, by collection and table, and key. */
  #reads = new Map();
  /** @type {Map<string, any>} The tables that it read whole. */
  #lists = new Map();
  /** The keys that were left when it began. */
  #keys;
  #count = 0;
  #isOver = false;
  /** An edit reads its row and then writes it, so edits go one after the other. */
  edits = new Mutex();

  /**
   * @param {Session} session When the write began.
   * @param {any} rights
   * @param {boolean} isTogether Whether the hub takes all changes, or none.
   */
  constructor(session, rights, isTogether) {
    this.#core = session.core;
    this.#state = session.state;
    this.#keys = bare(session.state.keys);
    this.#tables = session.tables;
    this.#rights = rights;
    this.#isTogether = isTogether;
  }

  /** @param {string} name */
  table(name) {
    const table = this.#tables.get(name);
    if (!table) throw noSuchTable(name);
    return new TableWrite(this, table);
  }

  /** The next key that the hub handed out for a table. @param {string} name */
  async nextKey(name) {
    this.table(name);
    this.#count += 1;
    return takeKey(this.#state, name);
  }

  // MARK: For TableWrite

  /** @param {Table} table @param {string} key @returns {Promise<Row | null>} */
  async row(table, key) {
    const written = this.#rows.get(table.name)?.get(key);
    if (written !== undefined) return written;
    return (await this.#read("rows", table, key))?.v ?? null;
  }

  /**
   * @param {"rows" | "changes"} collection
   * @param {Table} table
   * @param {string} key
   */
  async #read(collection, { name }, key) {
    const found = await this.#core.read(({ store }) => store.get(collection, name, key));
    const reads = part(this.#reads, `${collection} ${name}`);
    // The first counts: what was made of it is stored.
    if (!reads.has(key)) reads.set(key, found);
    return found;
  }

  /** @param {Table} table @returns {Promise<Row[]>} */
  async rows(table) {
    const stored = await this.#core.read(({ store }) => store.list("rows", table.name));
    if (!this.#lists.has(table.name)) this.#lists.set(table.name, stored);
    const written = this.#rows.get(table.name) ?? new Map();
    return [
      ...stored.filter(([key]) => !written.has(key)).map(([, { v }]) => v),
      ...[...written.values()].filter((row) => row !== null),
    ];
  }

  /**
   * @param {Table} table
   * @param {string} key
   * @param {Row | null} row The row after the edit.
   * @param {Pick<Change, "kind" | "old" | "row">} edit
   */
  async record(table, key, row, edit) {
    if (this.#isOver) throw late();
    this.#count += 1;
    if (this.#count > MAXIMUM_CHANGES) {
      throw misuse(
        "tooLarge",
        `A write may have ${MAXIMUM_CHANGES} changes. Nothing changed. Write in parts.`);
    }
    const rows = part(this.#rows, table.name);
    const changes = part(this.#changes, table.name);
    const before = changes.get(key) ?? await this.#read("changes", table, key);
    // A call for which the app did not wait.
    if (this.#isOver) throw late();
    // Numbers are given when the write is stored.
    const change = { at: this.#core.now(), again: false, seq: 0, ...edit };
    rows.set(key, row);
    changes.set(
      key, folded(before, this.#isTogether ? { ...change, groups: [0] } : change));
  }

  /** Whether the hub has not seen the row. @param {Table} table @param {string} key */
  async isNew(table, key) {
    const change = this.#changes.get(table.name)?.get(key)
      ?? await this.#read("changes", table, key);
    return change?.kind === "insert";
  }

  /** @param {Table} table */
  rightsOn(table) { return rightsOn(table, this.#rights); }

  /** @param {Table} table */
  refusesForbidden(table) { return this.#core.listed?.[table.name]?.refusesForbidden ?? false; }

  get valueLimit() { return this.#state.limits.valueBytes; }

  newID() { return this.#core.newID(); }

  /** @param {Table} table */
  hasKeys(table) { return (this.#state.keys[table.name]?.length ?? 0) > 0; }

  /** @param {Table} table */
  nextKeyOf(table) { return takeKey(this.#state, table.name); }

  // MARK: The end

  /** Whether it changed anything. */
  get isEmpty() { return this.#count === 0; }

  /** Takes no more calls. */
  end() { this.#isOver = true; }

  /** The tables of whose handed-out keys it took some. */
  get #takenKeys() {
    return Object.keys(this.#state.keys).filter(
      (name) => this.#state.keys[name] !== own(this.#keys, name));
  }

  /**
   * Whether the store has all that the write has read. Others may have written elsewhere.
   *
   * @param {Session} session
   */
  async #isCurrent({ state, store }) {
    const { stamp, rights } = this.#state;
    if (state.stamp !== stamp || state.rights !== rights) return false;
    const hasKeys = this.#takenKeys.every(
      (name) => isSame(own(state.keys, name), own(this.#keys, name)));
    if (!hasKeys) return false;
    for (const [place, reads] of this.#reads) {
      const [collection, ...name] = place.split(" ");
      for (const [key, found] of reads) {
        if (!isSame(await store.get(collection, name.join(" "), key), found)) return false;
      }
    }
    for (const [name, rows] of this.#lists) {
      if (!isSame(await store.list("rows", name), rows)) return false;
    }
    return true;
  }

  /** Stores everything. @param {Session} session */
  async store(session) {
    if (session.state.revision !== this.#state.revision && !await this.#isCurrent(session)) {
      throw new Overtaken();
    }
    const group = this.#isTogether ? session.nextNumber() : 0;
    for (const name of this.#takenKeys) session.state.keys[name] = this.#state.keys[name];
    for (const [name, rows] of this.#rows) {
      const table = /** @type {Table} */ (session.tables.get(name));
      for (const [key, row] of rows) {
        if (row === null) session.deleteRow(table, key);
        else session.putRow(table, key, row);
      }
    }
    for (const [name, changes] of this.#changes) {
      const table = /** @type {Table} */ (session.tables.get(name));
      for (const [key, change] of changes) {
        if (change.seq === 0) change.seq = session.nextNumber();
        const groups = change.groups?.map((number) => number || group);
        session.putChange(table, key, groups ? { ...change, groups } : change);
      }
    }
    session.dirty();
    session.isWork = true;
  }
}

/**
 * Whether two stored values are the same.
 *
 * @param {any} left
 * @param {any} right
 * @returns {boolean}
 */
function isSame(left, right) {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return Object.is(left, right);
  }
  if (left instanceof Uint8Array && right instanceof Uint8Array) return areSame(left, right);
  const names = Object.keys(left);
  return names.length === Object.keys(right).length
    && names.every((name) => Object.hasOwn(right, name) && isSame(left[name], right[name]));
}

function late() { return misuse("database", "The write is over. Wait for each of its calls."); }

/**
 * @template K, V
 * @param {Map<string, Map<K, V>>} parts
 * @param {string} name
 * @returns {Map<K, V>}
 */
function part(parts, name) {
  let found = parts.get(name);
  if (!found) parts.set(name, found = new Map());
  return found;
}

/** @param {string} name */
export function noSuchTable(name) {
  return misuse(
    "noSuchTable", `The replica has no table ${name}. Name it in the list of tables.`);
}
