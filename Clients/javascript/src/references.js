// Finds changes by what their rows refer to, now and before their first edit.

import { writesAny } from "./fold.js";
import { equalityText } from "./values.js";

/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./fold.js").Change} Change */
/** @typedef {import("./selection.js").Member} Member */
/** @typedef {import("./selection.js").Taken} Taken */

/** The values that a row had before its first edit, as far as its change has them. */
function formerRow(/** @type {Change} */ change) { return change.row ?? change.old ?? {}; }

/**
 * Whether a row refers to a row that a suspended table has not sent.
 *
 * @param {Taken} member
 * @param {Table} parent
 * @param {[string, Change][]} changes
 */
export function refersTo({ table, change, row }, parent, changes) {
  return table.foreign.some(({ columns, table: name, references }) => {
    if (name !== parent.name || !row || !writesAny(change, columns)) return false;
    const key = parent.keyText(Object.fromEntries(
      references.map((one, index) => [one, row[columns[index]] ?? null])));
    return changes.some(([one, other]) => one === key && writesAny(other, references));
  });
}

/**
 * Whether a change of a suspended table refers to a deleted row at the hub.
 *
 * @param {Taken} member
 * @param {Table} child
 * @param {[string, Change][]} changes
 */
export function isReferredTo({ table, change }, child, changes) {
  const before = change.row ?? {};
  return child.foreign.some(({ columns, table: name, references }) => name === table.name
    && changes.some(([, other]) => other.kind !== "insert" && columns.every((column, index) =>
      table.areEqual(
        references[index], formerRow(other)[column], before[references[index]]))));
}

/** Finds changes by what their rows had before. */
export class Former {
  /** @type {Map<string, Member[]>} */
  #index = new Map();
  #members;
  /** @type {Set<string>} */
  #indexed = new Set();

  /** @param {Member[]} members */
  constructor(members) { this.#members = members; }

  /**
   * Rows that had, before their own edit, a unique value that this row takes.
   *
   * @param {Taken} taken
   */
  holders({ table, change, key, row }) {
    return table.unique.flatMap((columns) => {
      if (!row || !writesAny(change, columns)) return [];
      return this.#find(table, columns, columns.map((name) => row[name] ?? null))
        .filter((member) => member.key !== key && member.change.kind !== "insert");
    });
  }

  /** Rows that referred, before their own edit, to a row that is deleted. @param {Taken} taken */
  children({ table, change }) {
    const before = change.row ?? {};
    const children = [...new Set(this.#members.map((member) => member.table))];
    return children.flatMap((child) => child.foreign
      .filter((foreign) => foreign.table === table.name)
      .flatMap(({ columns, references }) =>
        this.#find(child, columns, references.map((one) => before[one] ?? null))));
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
        if (columns.some((name) => (before[name] ?? null) === null)) continue;
        const place = prefix + textOf(table, columns, columns.map((name) => before[name]));
        const found = this.#index.get(place);
        if (found) found.push(member);
        else this.#index.set(place, [member]);
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
