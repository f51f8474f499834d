// Folds what happened to a row, one after the other, into one local change
// (docs/reference/client.md, Folding).
//
// | recorded so far | then            | becomes                                                |
// |-----------------|-----------------|--------------------------------------------------------|
// | insert          | update          | insert                                                 |
// | insert          | delete          | refetch; a delete, if the insert was sent before       |
// | update          | update          | update; the first before-image of each column stays    |
// | update          | delete          | delete; its row has the first before-images            |
// | delete          | insert, update  | update, with the deleted row as before-image           |
// | refetch         | insert, update  | insert                                                 |

/** @typedef {import("./values.js").Value} Value */
/** @typedef {Record<string, Value>} Row The values of a row by column. */

/**
 * @typedef {object} Change
 * @property {"insert" | "update" | "delete" | "refetch"} kind
 * @property {number} at The time of the last edit, by this device's clock.
 * @property {boolean} again The hub may know it from another replica id or epoch.
 * @property {number} seq The place in the order of the first edits.
 * @property {Row} [old] Of an update: the before-image of each edited column.
 * @property {Row} [row] Of a delete: the row before the first edit.
 * @property {Row} [sinceSent] Of an insert that was sent before: what updates changed since.
 * @property {number[]} [groups] The groups that it belongs to.
 */

/**
 * The one change that both make together.
 *
 * @param {Change | null | undefined} first
 * @param {Change} second
 * @returns {Change}
 */
export function folded(first, second) {
  if (!first) return second;
  const both = {
    at: Math.max(first.at, second.at), again: first.again || second.again, seq: first.seq,
    ...groupsOf(first, second),
  };
  switch (second.kind) {
    case "insert": return { ...both, ...afterInsert(first, second) };
    case "update": return { ...both, ...afterUpdate(first, second.old ?? {}) };
    case "delete": return { ...both, ...afterDelete(first, second.row ?? {}) };
    case "refetch":
      // A refetch is an insert and a delete: a deleted row stays deleted.
      return first.kind === "delete"
        ? { ...both, kind: first.kind, row: first.row } : { ...both, kind: "refetch" };
  }
}

/** @param {Change} first @param {Change} second */
function groupsOf(first, second) {
  if (!first.groups && !second.groups) return {};
  return { groups: [...new Set([...first.groups ?? [], ...second.groups ?? []])] };
}

/** @param {Change} first @param {Change} second @returns {Pick<Change, "kind">} */
function afterInsert(first, second) {
  if (first.kind === "delete") return updateOf(first.row ?? {});
  // The row of an update was removed in between without a change of its own, by a page. The row
  // that is here now is new.
  return insertOf(second.again ? second.sinceSent ?? {} : undefined);
}

/** @param {Change} first @param {Row} old @returns {Pick<Change, "kind">} */
function afterUpdate(first, old) {
  switch (first.kind) {
    case "insert": return insertOf(first.sinceSent && { ...old, ...first.sinceSent });
    case "update": return updateOf({ ...old, ...first.old });
    case "delete": return updateOf({ ...old, ...first.row });
    case "refetch": return insertOf(undefined);
  }
}

/** @param {Change} first @param {Row} row @returns {Pick<Change, "kind">} */
function afterDelete(first, row) {
  switch (first.kind) {
    case "insert":
      // The hub may have taken the insert, and a refetch would bring the row back.
      return first.sinceSent
        ? deleteOf({ ...row, ...first.sinceSent }) : /** @type {const} */ ({ kind: "refetch" });
    case "update": return deleteOf({ ...row, ...first.old });
    case "delete": return deleteOf(first.row ?? {});
    case "refetch": return { kind: "refetch" };
  }
}

/** @param {Row | undefined} sinceSent @returns {Pick<Change, "kind">} */
function insertOf(sinceSent) {
  return /** @type {any} */ (sinceSent ? { kind: "insert", sinceSent } : { kind: "insert" });
}

/** @param {Row} old @returns {Pick<Change, "kind">} */
function updateOf(old) { return /** @type {any} */ ({ kind: "update", old }); }

/** @param {Row} row @returns {Pick<Change, "kind">} */
function deleteOf(row) { return /** @type {any} */ ({ kind: "delete", row }); }

/** Whether a page leaves a column of this row as it is. */
export function edits(/** @type {Change} */ change, /** @type {string} */ column) {
  return change.kind !== "update" || Object.hasOwn(change.old ?? {}, column);
}

/** Whether the change gives one of the columns its value. */
export function writesAny(/** @type {Change} */ change, /** @type {string[]} */ columns) {
  if (change.kind === "insert") return true;
  return change.kind === "update"
    && columns.some((column) => Object.hasOwn(change.old ?? {}, column));
}
