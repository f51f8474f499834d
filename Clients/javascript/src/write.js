// One local write: what an app does in it is collected, and stored as one transaction at its end
// with the log of what changed.

import { misuse } from "./errors.js";
import { folded } from "./fold.js";
import { takeKey } from "./keys.js";
import { Mutex } from "./mutex.js";
import { queried, shown } from "./query.js";
import { rightsOn } from "./rights.js";
import {
  areSame, byteCount, checkedValue, fromWire, normalValue, NotOfType, toWire,
} from "./values.js";

/** @typedef {import("./values.js").Value} Value */
/** @typedef {import("./fold.js").Row} Row */
/** @typedef {import("./fold.js").Change} Change */
/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./session.js").Session} Session */

/** How many changes one write may have. */
export const MAXIMUM_CHANGES = 10_000;

/** Another tab wrote meanwhile: the write runs again. */
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
    return (await this.#core.read((session) => session.row(table, key))) ?? null;
  }

  /** @param {Table} table @returns {Promise<Row[]>} */
  async rows(table) {
    const stored = await this.#core.read((session) => session.store.list("rows", table.name));
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
    if (this.#isOver) throw misuse("database", "The write is over. Wait for each of its calls.");
    this.#count += 1;
    if (this.#count > MAXIMUM_CHANGES) {
      throw misuse(
        "tooLarge",
        `A write may have ${MAXIMUM_CHANGES} changes. Nothing changed. Write in parts.`);
    }
    const rows = part(this.#rows, table.name);
    const changes = part(this.#changes, table.name);
    const before = changes.get(key)
      ?? await this.#core.read((session) => session.change(table, key));
    // Numbers are given when the write is stored.
    const change = { at: this.#core.now(), again: false, seq: 0, ...edit };
    rows.set(key, row);
    changes.set(
      key, folded(before, this.#isTogether ? { ...change, groups: [0] } : change));
  }

  /** Whether the hub has not seen the row. @param {Table} table @param {string} key */
  async isNew(table, key) {
    const change = this.#changes.get(table.name)?.get(key)
      ?? await this.#core.read((session) => session.change(table, key));
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

  /** Stores everything. @param {Session} session */
  store(session) {
    if (session.state.revision !== this.#state.revision) throw new Overtaken();
    const group = this.#isTogether ? session.nextNumber() : 0;
    session.state.keys = this.#state.keys;
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

/** One table within a write. */
class TableWrite {
  #write;
  #table;

  /** @param {WriteTransaction} write @param {Table} table */
  constructor(write, table) {
    this.#write = write;
    this.#table = table;
  }

  /** @param {unknown} key @returns {Promise<Row | null>} */
  async get(key) {
    const row = await this.#write.row(this.#table, this.#keyText(key));
    return row && shown(this.#table, row);
  }

  /** @param {import("./query.js").Query} [query] @returns {Promise<Row[]>} */
  async all(query = {}) {
    const rows = await this.#write.rows(this.#table);
    return queried(this.#table, rows.map((row) => shown(this.#table, row)), query);
  }

  /**
   * Inserts a row. A missing column gets its default or NULL, and a missing key a UUID or a key
   * that the hub handed out.
   *
   * @param {Row} values
   * @returns {Promise<Row>} The row as it is stored.
   */
  insert(values) { return this.#write.edits.run(() => this.#insert(values)); }

  /** @param {Row} values @returns {Promise<Row>} */
  async #insert(values) {
    const table = this.#checkWritable();
    const given = this.#checked(values, "insert");
    const row = this.#completed(given);
    const key = table.keyText(row);
    if (await this.#write.row(table, key) !== null) {
      throw misuse("unique", `${table.name} has a row with this key already. Nothing changed.`);
    }
    if (this.#write.refusesForbidden(table)) {
      const rights = this.#write.rightsOn(table);
      this.#allow(rights.insert() && Object.keys(given).every(rights.insert), "inserted into");
    }
    await this.#write.record(table, key, row, { kind: "insert" });
    return shown(table, row);
  }

  /**
   * Changes columns of a row.
   *
   * @param {unknown} key
   * @param {Row} changes
   * @returns {Promise<Row>} The row as it is stored.
   */
  update(key, changes) { return this.#write.edits.run(() => this.#update(key, changes)); }

  /** @param {unknown} key @param {Row} changes @returns {Promise<Row>} */
  async #update(key, changes) {
    const table = this.#checkWritable();
    const text = this.#keyText(key);
    const row = await this.#write.row(table, text);
    if (row === null) {
      throw misuse("notFound", `${table.name} has no row with this key. Nothing changed.`);
    }
    const given = this.#checked(changes, "update");
    /** @type {Row} */
    const old = {};
    for (const [name, value] of Object.entries(given)) {
      // A column that no page brought yet: where nobody wrote, the hub has the default.
      const before = row[name] === undefined
        ? table.byName.get(name)?.standard ?? null : row[name];
      if (areSame(before, value)) continue;
      if (table.isKey(name)) {
        throw misuse(
          "type", `${table.name}.${name} is part of the key. Delete the row and insert it again.`);
      }
      old[name] = before;
    }
    if (Object.keys(old).length === 0) return shown(table, row);
    if (this.#write.refusesForbidden(table) && !await this.#write.isNew(table, text)) {
      const rights = this.#write.rightsOn(table);
      this.#allow(Object.keys(old).every(rights.update), "updated in");
    }
    const result = { ...row, ...given };
    await this.#write.record(table, text, result, { kind: "update", old });
    return shown(table, result);
  }

  /** Deletes a row. @param {unknown} key @returns {Promise<boolean>} Whether it was there. */
  delete(key) { return this.#write.edits.run(() => this.#delete(key)); }

  /** @param {unknown} key @returns {Promise<boolean>} */
  async #delete(key) {
    const table = this.#checkWritable();
    const text = this.#keyText(key);
    const row = await this.#write.row(table, text);
    if (row === null) return false;
    if (this.#write.refusesForbidden(table) && !await this.#write.isNew(table, text)) {
      this.#allow(this.#write.rightsOn(table).delete, "deleted from");
    }
    await this.#write.record(table, text, null, { kind: "delete", row });
    return true;
  }

  // MARK: Checks

  #checkWritable() {
    const table = this.#table;
    if (table.direction === "down") {
      throw misuse(
        "readOnly",
        `The rows of ${table.name} come from the hub alone. Change them in the central database.`);
    }
    if (table.key.length === 0) {
      throw misuse(
        "noSuchTable",
        `The key of ${table.name} is not known before the first contact with the hub. Name it in `
          + "the list of tables, or sync first.");
    }
    return table;
  }

  /** @param {boolean} isAllowed @param {string} what */
  #allow(isAllowed, what) {
    if (isAllowed) return;
    throw misuse(
      "permission",
      `The user's rights do not allow what would be ${what} ${this.#table.name}. Nothing changed. `
        + "Ask whoever runs the hub.");
  }

  /** @param {unknown} key */
  #keyText(key) {
    return this.#table.keyText(this.#checked(this.#table.givenKey(key), "key"));
  }

  /** @param {Row} values @param {"insert" | "update" | "key"} what @returns {Row} */
  #checked(values, what) {
    const table = this.#table;
    /** @type {Row} */
    const result = {};
    for (const [name, value] of Object.entries(values)) {
      const column = table.byName.get(name);
      if (table.isKnown && !column) {
        throw misuse("unknownColumn", `${table.name} has no column ${name}. Nothing changed.`);
      }
      if (column?.isGenerated && what !== "key") {
        throw misuse("readOnly", `Only the hub writes ${table.name}.${name}. Leave it out.`);
      }
      if (what === "insert" && value === undefined) continue;
      result[name] = this.#checkedValue(name, value);
    }
    return result;
  }

  /** @param {string} name @param {unknown} value */
  #checkedValue(name, value) {
    const table = this.#table;
    const place = `${table.name}.${name}`;
    try {
      const checked = checkedValue(table.type(name), value);
      if (checked === null && (table.byName.get(name)?.isRequired || table.isKey(name))) {
        throw misuse("notNull", `${place} needs a value. Nothing changed.`);
      }
      if (byteCount(checked) > this.#write.valueLimit) {
        throw misuse(
          "tooLarge",
          `${place} would be larger than ${this.#write.valueLimit} bytes. Nothing changed.`);
      }
      return checked;
    } catch (error) {
      if (!(error instanceof NotOfType)) throw error;
      throw misuse("type", `${place} takes ${error.message}. Nothing changed.`);
    }
  }

  /** The row with a key, and with what the app left out. @param {Row} given */
  #completed(given) {
    const table = this.#table;
    const row = { ...given };
    const [name] = table.key;
    if (table.key.length === 1 && row[name] === undefined) {
      if (table.type(name).kind === "uuid") row[name] = this.#write.newID();
      else if (this.#write.hasKeys(table)) row[name] = this.#write.nextKeyOf(table);
    }
    for (const column of table.columns) {
      if (row[column.name] !== undefined) continue;
      if (column.standard !== undefined) row[column.name] = column.standard;
      else if (!column.isRequired || column.isGenerated) row[column.name] = null;
      else {
        throw misuse(
          table.keyBlock && column.name === name ? "noKeysLeft" : "notNull",
          `${table.name}.${column.name} needs a value. Nothing changed.`);
      }
    }
    for (const column of table.key) {
      if (row[column] === undefined) {
        throw misuse("notNull", `The key of ${table.name} needs a value. Nothing changed.`);
      }
      // Keys travel in one form.
      const type = table.type(column);
      row[column] = fromWire(type, normalValue(type, toWire(type, row[column])));
    }
    return row;
  }
}
