// Finds changes by what their rows refer to, now and before their first edit.

import { writesAny } from "./fold.js";
import { own } from "./own.js";
import { equalityText } from "./values.js";

/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./fold.js").Change} Change */
/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./selection.js").Member} Member */
/** @typedef {import("./selection.js").Taken} Taken */

/** @param {string} table @param {string} key */
export function memberName(table, key) { return `${table} ${key}`; }

/** The values that a row had before its first edit, as far as its change has them. */
function formerRow(/** @type {Change} */ change) { return change.row ?? change.old ?? {}; }

/** Finds changes by what their rows have now. */
export class Present {
  /** @type {Map<string, Map<string, Member[]>>} */
  #indexes = new Map();
  #members;
  #session;

  /** @param {Map<string, Member>} members By table and key. @param {Session} session */
  constructor(members, session) {
    this.#members = members;
    this.#session = session;
  }

  /**
   * Changes that give a parent the values to which the row refers.
   *
   * @param {Taken} member
   * @returns {Promise<Member[]>}
   */
  async parents({ table, change, row }) {
    /** @type {Member[]} */
    const result = [];
    for (const { columns, table: name, references } of table.foreign) {
      const parent = this.#session.tables.get(name);
      if (!parent || !row || !writesAny(change, columns)) continue;
      const values = columns.map((column) => own(row, column) ?? null);
      if (values.includes(null)) continue;
      for (const found of await this.#rowsWith(parent, references, values)) {
        if (writesAny(found.change, references)) result.push(found);
      }
    }
    return result;
  }

  /**
   * @param {Table} table
   * @param {string[]} columns
   * @param {import("./values.js").Value[]} values
   */
  async #rowsWith(table, columns, values) {
    if (columns.length === table.key.length && columns.every((name) => table.isKey(name))) {
      const key = table.keyText(Object.fromEntries(
        columns.map((name, index) => [name, values[index]])));
      const member = this.#members.get(memberName(table.name, key));
      return member ? [member] : [];
    }
    const index = await this.#index(table, columns);
    return index.get(textOf(table, columns, values)) ?? [];
  }

  /** Made once for these columns. @param {Table} table @param {string[]} columns */
  async #index(table, columns) {
    const name = `${table.name} ${columns.join("\0")}`;
    const known = this.#indexes.get(name);
    if (known) return known;
    /** @type {Map<string, Member[]>} */
    const index = new Map();
    this.#indexes.set(name, index);
    for (const member of this.#members.values()) {
      if (member.table !== table || member.change.kind === "delete") continue;
      const row = await this.#session.row(table, member.key);
      const values = columns.map((column) => own(row ?? {}, column) ?? null);
      if (!values.includes(null)) add(index, textOf(table, columns, values), member);
    }
    return index;
  }
}

/**
 * @param {Map<string, Member[]>} index
 * @param {string} place
 * @param {Member} member
 */
function add(index, place, member) {
  const found = index.get(place);
  if (found) found.push(member);
  else index.set(place, [member]);
}

/** Finds changes by what their rows had before. */
export class Former {
  /** @type {Map<string, Member[]>} */
  #index = new Map();
  #members;
  /** @type {Set<string>} */
  #indexed = new Set();

  #tables;

  /** @param {Member[]} members */
  constructor(members) {
    this.#members = members;
    this.#tables = [...new Set(members.map((member) => member.table))];
  }

  /**
   * Rows that had, before their own edit, a unique value that this row takes.
   *
   * @param {Taken} taken
   */
  holders({ table, change, key, row }) {
    return table.unique.flatMap((columns) => {
      if (!row || !writesAny(change, columns)) return [];
      return this.#find(table, columns, columns.map((name) => own(row, name) ?? null))
        .filter((member) => member.key !== key && member.change.kind !== "insert");
    });
  }

  /** Rows that referred, before their own edit, to a row that is deleted. @param {Taken} taken */
  children({ table, change }) {
    const before = change.row ?? {};
    return this.#tables.flatMap((child) => child.foreign
      .filter((foreign) => foreign.table === table.name)
      .flatMap(({ columns, references }) =>
        this.#find(child, columns, references.map((one) => own(before, one) ?? null))));
  }

  /**
   * @param {Table} table
   * @param {string[]} columns
   * @param {import("./values.js").Value[]} values
   */
  #find(table, columns, values) {
    if (values.includes(null)) return [];
    const prefix = `${table.name} ${columns.join("\0")}`;
    if (!this.#indexed.has(prefix)) {
      this.#indexed.add(prefix);
      for (const member of this.#members) {
        if (member.table !== table) continue;
        const before = formerRow(member.change);
        if (columns.some((name) => (own(before, name) ?? null) === null)) continue;
        const place = prefix + textOf(table, columns, columns.map((name) => before[name]));
        add(this.#index, place, member);
      }
    }
    return this.#index.get(prefix + textOf(table, columns, values)) ?? [];
  }
}

/**
 * @param {Table} table
 * @param {string[]} columns
 * @param {import("./values.js").Value[]} values
 */
function textOf(table, columns, values) {
  return values.map((value, index) => equalityText(table.type(columns[index]), value)).join("\0");
}
