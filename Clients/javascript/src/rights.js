// What the user may write, as the last welcome said (docs/reference/protocol.md, 5.1). The hub
// judges each change by the rights of that moment.

/** @typedef {import("./tables.js").Table} Table */

/**
 * The rights on one table.
 *
 * @typedef {object} TableRights
 * @property {(column?: string) => boolean} insert Whether an insert may set the column; without a
 *   column, whether rows may be inserted at all.
 * @property {(column?: string) => boolean} update The same for an update.
 * @property {boolean} delete
 * @property {boolean} move Whether an update may take a row out of the user's scopes.
 */

/**
 * @param {Table} table
 * @param {any} rights The `rights` of a welcome; `null` before a hub has sent any.
 * @returns {TableRights}
 */
export function rightsOn(table, rights) {
  const listed = rights?.tables.find((/** @type {any} */ one) => one.table === table.central);
  const takesChanges = table.direction === undefined || table.direction === "up";
  const columns = (/** @type {true | string[] | undefined} */ allowed) =>
    (/** @type {string | undefined} */ name) => {
      if (!takesChanges || (listed && allowed === undefined)) return false;
      if (name === undefined || table.isKey(name)) return true;
      const column = table.byName.get(name);
      if (!column || column.isGenerated) return false;
      return !listed || allowed === true || (allowed ?? []).includes(column.central);
    };
  return {
    insert: columns(listed?.insert),
    update: columns(listed?.update),
    delete: takesChanges && (!listed || listed.delete),
    move: takesChanges && (!listed || listed.move),
  };
}
