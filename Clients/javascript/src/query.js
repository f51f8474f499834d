// Finds rows of a table in memory: `where`, `sort` and `limit`.

import { compareDecimals, readDecimal } from "./decimal.js";
import { misuse } from "./errors.js";
import { compareTexts } from "./json.js";
import { own, valueIn } from "./own.js";
import { equalityText, normalValue, toWire } from "./values.js";

/** @typedef {import("./values.js").Value} Value */
/** @typedef {import("./fold.js").Row} Row */
/** @typedef {import("./tables.js").Table} Table */

/**
 * What a column has to be.
 *
 * @typedef {{ is?: Value, not?: Value, in?: Value[], above?: Value, below?: Value,
 *   from?: Value, to?: Value }} Condition
 *   `above` and `below` exclude the value, `from` and `to` include it.
 */

/**
 * @typedef {object} Query
 * @property {Record<string, Value | Condition> | ((row: Row) => boolean)} [where]
 * @property {string | string[]} [sort] Columns; a `-` in front sorts from the greatest down.
 * @property {number} [limit]
 */

/** The row as an app sees it: each column has a value. @param {Table} table @param {Row} row */
export function shown(table, row) {
  if (!table.isKnown) return { ...row };
  return Object.fromEntries(table.columns.map(({ name, standard }) => [
    // A column that no page brought yet has its default.
    name, valueIn(row, name, standard),
  ]));
}

/**
 * @param {Table} table
 * @param {Row[]} rows
 * @param {Query} query
 * @returns {Row[]}
 */
export function queried(table, rows, { where, sort, limit }) {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0)) {
    throw misuse("malformed", "The limit of a query is a number of rows.");
  }
  let found = rows;
  if (typeof where === "function") found = rows.filter(where);
  else if (where) found = rows.filter(condition(table, where));
  // Without a sort, rows come in the order of their keys.
  const columns = sort === undefined ? table.listedKey : [sort].flat();
  found = [...found].sort(order(table, columns));
  return limit === undefined ? found : found.slice(0, limit);
}

/** @param {Table} table @param {string} name */
function checkColumn(table, name) {
  if (table.isKnown && !table.byName.has(name)) {
    throw misuse("unknownColumn", `${table.name} has no column ${name}.`);
  }
}

/** @param {Table} table @param {Record<string, Value | Condition>} where */
function condition(table, where) {
  const tests = Object.entries(where).map(([name, wanted]) => {
    checkColumn(table, name);
    return columnTest(table, name, wanted);
  });
  return (/** @type {Row} */ row) => tests.every((test) => test(row));
}

const OPERATORS = new Set(["is", "not", "in", "above", "below", "from", "to"]);

/** @param {Table} table @param {string} name @param {Value | Condition} wanted */
function columnTest(table, name, wanted) {
  const type = table.type(name);
  const isCondition = typeof wanted === "object" && wanted !== null
    && !(wanted instanceof Uint8Array);
  const conditions = /** @type {Condition} */ (isCondition ? wanted : { is: wanted });
  const unknown = Object.keys(conditions).find((operator) => !OPERATORS.has(operator));
  if (unknown !== undefined) {
    throw misuse("malformed", `A condition on ${name} has the unknown operator ${unknown}.`);
  }
  const text = (/** @type {Value} */ value) => equalityText(type, value);
  const compare = comparison(type);
  const { is, not, in: list, above, below, from, to } = conditions;
  const isText = is === undefined ? undefined : text(is);
  const notText = not === undefined ? undefined : text(not);
  const texts = list === undefined ? undefined : new Set(list.map(text));
  return (/** @type {Row} */ row) => {
    const value = own(row, name) ?? null;
    if (isText !== undefined && text(value) !== isText) return false;
    if (notText !== undefined && text(value) === notText) return false;
    if (texts !== undefined && !texts.has(text(value))) return false;
    if (above === undefined && below === undefined && from === undefined && to === undefined) {
      return true;
    }
    // NULL is neither less nor greater.
    return value !== null
      && (above === undefined || compare(value, above) > 0)
      && (below === undefined || compare(value, below) < 0)
      && (from === undefined || compare(value, from) >= 0)
      && (to === undefined || compare(value, to) <= 0);
  };
}

/** @param {Table} table @param {string[]} columns */
function order(table, columns) {
  const parts = columns.map((column) => {
    const isDown = column.startsWith("-");
    const name = isDown ? column.slice(1) : column;
    checkColumn(table, name);
    return { name, sign: isDown ? -1 : 1, compare: comparison(table.type(name)) };
  });
  return (/** @type {Row} */ left, /** @type {Row} */ right) => {
    for (const { name, sign, compare } of parts) {
      const result = compare(own(left, name) ?? null, own(right, name) ?? null);
      if (result !== 0) return sign * result;
    }
    return 0;
  };
}

/** The order of a type's values: NULL, booleans, numbers, texts by their bytes, then blobs. */
function comparison(/** @type {import("./values.js").ColumnType} */ type) {
  const isByNormalForm = ["date", "time", "timestamp", "instant"].includes(type.kind);
  return (/** @type {Value} */ left, /** @type {Value} */ right) => {
    if (type.kind === "decimal") {
      const [a, b] = [left, right].map((value) => readDecimal(String(value)));
      if (a && b) return compareDecimals(a, b);
    }
    const difference = rank(left) - rank(right);
    if (difference !== 0 || left === null) return difference;
    if (typeof left === "string" && typeof right === "string") {
      if (!isByNormalForm) return compareTexts(left, right);
      const [a, b] = [left, right].map((value) => String(normalValue(type, toWire(type, value))));
      return compareTexts(a, b);
    }
    if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right);
    return left === right ? 0 : /** @type {any} */ (left) < /** @type {any} */ (right) ? -1 : 1;
  };
}

/** @param {Value} value */
function rank(value) {
  if (value === null) return 0;
  if (typeof value === "boolean") return 1;
  if (typeof value === "number" || typeof value === "bigint") return 2;
  return typeof value === "string" ? 3 : 4;
}

/** @param {Uint8Array} left @param {Uint8Array} right */
function compareBytes(left, right) {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    if (left[index] !== right[index]) return left[index] - right[index];
  }
  return left.length - right.length;
}
