// One table of a replica, as an app reads and writes it.

import { queried, shown } from "./query.js";
import { noSuchTable } from "./write.js";
import { written } from "./writer.js";

/** @typedef {import("./fold.js").Row} Row */

export class TableView {
  #core;
  #name;

  /** @param {import("./session.js").Core} core @param {string} name */
  constructor(core, name) {
    this.#core = core;
    this.#name = name;
  }

  /** @param {import("./session.js").Session} session */
  #table(session) {
    const table = session.tables.get(this.#name);
    if (!table) throw noSuchTable(this.#name);
    return table;
  }

  /**
   * A row by its key.
   *
   * @param {unknown} key
   * @returns {Promise<Row | null>} `null` where there is none.
   */
  get(key) {
    return this.#core.read(async (session) => {
      const table = this.#table(session);
      const row = await session.row(table, table.keyText(table.givenKey(key)));
      return row ? shown(table, row) : null;
    });
  }

  /**
   * Rows, sorted by key unless the query says otherwise.
   *
   * @param {import("./query.js").Query} [query]
   */
  all(query = {}) {
    return this.#core.read(async (session) => {
      const table = this.#table(session);
      const rows = await session.store.list("rows", table.name);
      return queried(table, rows.map(([, { v }]) => shown(table, v)), query);
    });
  }

  /**
   * Inserts a row. A missing column gets its default or NULL, and a missing key a UUID or a key
   * that the hub handed out.
   *
   * @param {Row} row
   * @returns {Promise<Row>} The row as it is stored.
   */
  insert(row) { return written(this.#core, (write) => write.table(this.#name).insert(row)); }

  /**
   * Changes columns of a row.
   *
   * @param {unknown} key
   * @param {Row} changes
   * @returns {Promise<Row>} The row as it is stored.
   */
  update(key, changes) {
    return written(this.#core, (write) => write.table(this.#name).update(key, changes));
  }

  /** Deletes a row. @param {unknown} key @returns {Promise<boolean>} Whether it was there. */
  delete(key) { return written(this.#core, (write) => write.table(this.#name).delete(key)); }
}
