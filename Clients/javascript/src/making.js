// Makes the operation of a batch of one local change and its row.

import { own, valueIn } from "./own.js";
import { byteCount, checkedValue, NotOfType, toWire } from "./values.js";

/** @typedef {import("./values.js").WireValue} WireValue */
/** @typedef {import("./fold.js").Row} Row */
/** @typedef {import("./fold.js").Change} Change */
/** @typedef {import("./tables.js").Table} Table */

/** @typedef {{ insert?: WireValue[], update?: [number, WireValue, WireValue][],
 *   delete?: WireValue[], refetch?: true }} Operation */

/** @typedef {{ operation: Operation } | { refusal: { code: string, message: string } }} Made */

/**
 * @param {Table} table
 * @param {Change} change
 * @param {Row | undefined} row The row as it is now.
 * @param {number} valueBytes The hub's limit.
 * @returns {Made}
 */
export function makeOperation(table, change, row, valueBytes) {
  if (change.kind === "delete") {
    const before = change.row ?? {};
    const values = table.columns.map(({ name, type }) => toWire(type, own(before, name) ?? null));
    return { operation: { delete: values } };
  }
  // A row that went without a change of its own: ask for it, and the answer says what it is.
  if (change.kind === "refetch" || !row) return { operation: { refetch: true } };
  const isInsert = change.kind === "insert";
  const written = isInsert ? table.columns.map(({ name }) => name) : Object.keys(change.old ?? {});
  const refusal = refusalOf(table, row, written, valueBytes);
  if (refusal) return { refusal };
  return {
    operation: isInsert ? { insert: inserted(table, row) } : { update: edits(table, change, row) },
  };
}

/** @param {Table} table @param {Row} row */
function inserted(table, row) {
  return table.columns.map(({ name, type, isGenerated, standard }) => {
    const value = valueIn(row, name, standard);
    return isGenerated ? null : toWire(type, value);
  });
}

/** @param {Table} table @param {Change} change @param {Row} row */
function edits(table, change, row) {
  const old = change.old ?? {};
  const isPushed = (/** @type {import("./tables.js").Column} */ { name, isGenerated }) =>
    !isGenerated && !table.isKey(name) && own(row, name) !== undefined;
  const edit = (/** @type {number} */ place, /** @type {import("./values.js").Value} */ before) => {
    const { name, type } = table.columns[place];
    return /** @type {[number, WireValue, WireValue]} */ (
      [place, toWire(type, before), toWire(type, row[name])]);
  };
  const edited = table.columns.flatMap((column, place) => {
    const before = own(old, column.name);
    return isPushed(column) && before !== undefined
      && !table.areEqual(column.name, before, row[column.name]) ? [edit(place, before)] : [];
  });
  if (!table.isRowMerged || edited.length === 0) return edited;
  // Where whole rows are merged, the columns that did not change follow.
  const places = new Set(edited.map(([place]) => place));
  const rest = table.columns.flatMap((column, place) =>
    (isPushed(column) && !places.has(place) ? [edit(place, row[column.name])] : []));
  return [...edited, ...rest];
}

/**
 * Why the device does not send a row as it is. The change stays in the log.
 *
 * @param {Table} table
 * @param {Row} row
 * @param {string[]} written
 * @param {number} valueBytes
 */
function refusalOf(table, row, written, valueBytes) {
  for (const name of [...table.key, ...written]) {
    const column = table.byName.get(name);
    const value = own(row, name) ?? null;
    if (!column || column.isGenerated) continue;
    const place = `${table.name}.${name}`;
    if (value === null) {
      if (!table.isKey(name)) continue;
      return refusal("notNull", `${place} is part of the key, and NULL.`, "Insert the row again.");
    }
    if (byteCount(value) > valueBytes) {
      return refusal(
        "tooLarge", `${place} is larger than ${valueBytes} bytes, the most that the hub accepts.`,
        "Make the value smaller, and the change is sent.");
    }
    try {
      checkedValue(column.type, value);
    } catch (error) {
      if (!(error instanceof NotOfType)) throw error;
      return refusal(
        "type", `${place} takes ${error.message}.`, "Correct the value, and the change is sent.");
    }
  }
  return null;
}

/** @param {string} code @param {string} what @param {string} next */
function refusal(code, what, next) {
  return { code, message: `${what} The change stays on this device. ${next}` };
}

/**
 * How many bytes the hub counts for a change (docs/reference/protocol.md, 10).
 *
 * @param {Table} table
 * @param {WireValue[]} key
 * @param {Operation} operation
 */
export function sizeOf(table, key, operation) {
  const values = [
    ...key, ...operation.insert ?? [], ...operation.delete ?? [],
    ...(operation.update ?? []).flatMap(([, old, now]) => [old, now]),
  ];
  return 32 + byteCount(table.name) + 16 * (operation.update?.length ?? 0)
    + values.reduce((/** @type {number} */ sum, value) => sum + valueSize(value), 0);
}

/** @param {WireValue} value */
function valueSize(value) {
  if (value === null) return 1;
  return typeof value === "string" || value instanceof Uint8Array ? byteCount(value) + 4 : 9;
}
