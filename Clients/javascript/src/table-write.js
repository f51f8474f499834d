// What an app does to one table within a write.

import { misuse } from "./errors.js";
import { bare, valueIn } from "./own.js";
import { queried, shown } from "./query.js";
import {
  areSame, byteCount, checkedValue, fromWire, normalValue, NotOfType, toWire,
} from "./values.js";

/** @typedef {import("./fold.js").Row} Row */
/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./write.js").WriteTransaction} WriteTransaction */

/** One table within a write. */
export class TableWrite {
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
    const old = bare();
    for (const [name, value] of Object.entries(given)) {
      // A column that no page brought yet: where nobody wrote, the hub has the default.
      const before = valueIn(row, name, table.byName.get(name)?.standard);
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
    await this.#write.record(table, text, null, { kind: "delete", row: shown(table, row) });
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
    const result = bare();
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
    const row = bare(given);
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
