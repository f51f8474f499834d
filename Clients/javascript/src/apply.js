// Applies one page, with the outcomes of the batch that it answers, as one transaction
// (docs/reference/client.md, Applying pages).

import { storedBatch } from "./batch.js";
import { MoorageError } from "./errors.js";
import { edits } from "./fold.js";
import { forgetOld } from "./history.js";
import { Real } from "./json.js";
import { listRecovered } from "./lists.js";
import { cursor as cursorCodec } from "./messages.js";
import { applyOutcomes } from "./outcomes.js";
import { bare, own } from "./own.js";
import { fromWire } from "./values.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./values.js").WireValue} WireValue */
/** @typedef {import("./fold.js").Row} Row */
/** @typedef {import("./fold.js").Change} Change */

/**
 * @typedef {object} Applied
 * @property {boolean} isDropped The page does not continue what the replica has.
 * @property {number} written
 * @property {number} removed
 * @property {number} refused
 * @property {boolean} isCaughtUp
 */

/**
 * @param {Session} session
 * @param {string | null} nonce That of the batch that the page answers; `null` for none.
 * @param {{ outcomes: any, page: any }} answer
 * @param {{ here: number, hub: number }} time
 * @returns {Promise<Applied>}
 */
export async function applyPage(session, nonce, { outcomes, page }, time) {
  const dropped = { isDropped: true, written: 0, removed: 0, refused: 0, isCaughtUp: false };
  const batch = await storedBatch(session);
  // Another tab may have applied the answer already, or prepared a batch since.
  if (session.state.cursor !== cursorCodec.write(page.since)) return dropped;
  if ((batch?.nonce ?? null) !== nonce) return dropped;
  const named = [...page.removals, ...page.tables].map(({ table }) => table);
  for (const name of named) {
    const table = session.tables.get(name);
    if (!table?.isKnown) throw rowsOfUnknown(name);
    // The welcome of this answer changed the table. The next request leaves it out.
    if (table.problem !== null) return dropped;
  }
  return new PageApplying(session, page, time).run(batch, outcomes);
}

/** @param {string} name */
function rowsOfUnknown(name) {
  return new MoorageError(
    "tableSuspended",
    `The hub sent rows of ${name}, which this replica does not sync. The page was not applied. `
      + "Report this as a defect.", { recovery: "reportBug" });
}

class PageApplying {
  #written = 0;
  #removed = 0;

  /** @param {Session} session @param {any} page @param {{ here: number, hub: number }} time */
  constructor(session, page, time) {
    this.session = session;
    this.page = page;
    this.time = time;
  }

  /**
   * @param {import("./batch.js").StoredBatch | undefined} batch
   * @param {any} outcomes
   * @returns {Promise<Applied>}
   */
  async run(batch, outcomes) {
    const { session, page, time } = this;
    this.#beginCopies();
    const answered = batch
      ? await applyOutcomes(session, batch, outcomes, time)
      : { refused: 0, stored: [], refusedRows: [] };
    if (batch) await forgetOld(session, time);
    for (const { table: name, keys } of page.removals) {
      const table = /** @type {Table} */ (session.tables.get(name));
      for (const key of keys) await this.#remove(table, table.keyTextOfWire(key));
    }
    for (const { table, key } of answered.refusedRows) await this.#remove(table, key);
    for (const rows of page.tables) await this.#write(rows);
    await this.#withhold();
    await this.#writeStored(answered.stored);
    await this.#dropUnconfirmed();
    this.#finish();
    return {
      isDropped: false, written: this.#written, removed: this.#removed,
      refused: answered.refused, isCaughtUp: page.caughtUp,
    };
  }

  /**
   * A table that the cursor names from this page on was left out before, or never read. What this
   * copy does not bring is not at the hub.
   */
  #beginCopies() {
    const { since, cursor } = this.page;
    const before = { ...since.tables, ...since.scan?.tables };
    for (const name of Object.keys({ ...cursor.tables, ...cursor.scan?.tables })) {
      if (!Object.hasOwn(before, name) && this.session.tables.get(name)?.isKnown) {
        this.session.beginCopy(name);
      }
    }
  }

  // MARK: Removals

  /** @param {Table} table @param {string} key */
  async #remove(table, key) {
    const { session } = this;
    session.store.delete("withheld", table.name, key);
    // A local change blocks the removal. The answer to it says what remains.
    if (await session.change(table, key)) return;
    const stored = await session.store.get("rows", table.name, key);
    if (!stored) return;
    this.#listIfUnconfirmed(table, key, stored);
    session.deleteRow(table, key);
    this.#removed += 1;
  }

  /** @param {Table} table @param {string} key @param {{ g: number, v: Row }} stored */
  #listIfUnconfirmed(table, key, { g, v }) {
    const { isUnconfirmed, generation } = this.session.tableState(table.name);
    if (isUnconfirmed && g < generation) listRecovered(this.session, table.name, key, v, "goneAtHub");
  }

  // MARK: Rows

  /** @param {{ table: string, columns: string[], rows: WireValue[][] }} content */
  async #write({ table: name, columns: names, rows }) {
    const { session } = this;
    const table = /** @type {Table} */ (session.tables.get(name));
    // Columns that this device does not have any more are left out.
    const columns = names.map((one) => table.columnNamed(one));
    const here = new Set(columns.map((column) => column?.name));
    const missing = table.key.find((one) => !here.has(one));
    if (missing !== undefined) throw rowsOfUnknown(`${name} without the key column ${missing}`);
    const isWhole = table.columns.every((column) => here.has(column.name));
    const mayHaveChanges = await session.store.count("changes", name) > 0;
    const hasWithheld = await session.store.count("withheld", name) > 0;
    for (const values of rows) {
      const row = rowOf(columns, values);
      const key = table.keyText(row);
      if (hasWithheld) session.store.delete("withheld", name, key);
      const unfit = columns.findIndex((column, index) => column && isNaN64(values[index]));
      if (unfit >= 0) {
        await this.#withholdHere(table, key, names[unfit]);
      } else if (isWhole && !mayHaveChanges) {
        session.putRow(table, key, row);
        this.#written += 1;
      } else {
        await this.#merge(table, key, row);
      }
    }
  }

  /** @param {Table} table @param {string} key @param {Row} row */
  async #merge(table, key, row) {
    const { session } = this;
    const change = await session.change(table, key);
    const present = await session.row(table, key);
    if (!change) {
      session.putRow(table, key, { ...present, ...row });
      this.#written += 1;
      return;
    }
    // A row that was inserted or deleted here stays as it is, until the answer.
    if (!present || change.kind !== "update") {
      if (present) session.putRow(table, key, present);
      return;
    }
    const free = Object.fromEntries(Object.entries(row).filter(([name]) =>
      // Nobody has seen the hub's value of a column that was never read.
      own(present, name) === undefined
        // Where whole rows are merged, the row stays as its user saw it.
        || (!edits(change, name) && !table.isKey(name) && !table.isRowMerged)));
    session.putRow(table, key, { ...present, ...free });
    this.#written += 1;
  }

  // MARK: Withheld rows

  /** @param {Table} table @param {string} key @param {string} column */
  async #withholdHere(table, key, column) {
    await this.#addWithheld(table, key, column, "The value is no number (NaN).");
  }

  async #withhold() {
    for (const { row, column, reason } of this.page.withheld) {
      const table = this.session.tables.get(row.table);
      if (table?.isKnown) {
        await this.#addWithheld(table, table.keyTextOfWire(row.key), column, reason);
      }
    }
  }

  /** @param {Table} table @param {string} key @param {string} column @param {string} reason */
  async #addWithheld(table, key, column, reason) {
    const { session } = this;
    session.dirty();
    session.store.put("withheld", table.name, key, { table: table.name, key, column, reason });
    // The hub has the row, whatever is in it.
    const present = await session.row(table, key);
    if (present) session.putRow(table, key, present);
  }

  // MARK: The rest

  /**
   * Writes stored values into rows that the page could not write. Otherwise such a row would keep
   * the pushed value, which the hub never had.
   *
   * @param {import("./outcomes.js").Stored[]} columns
   */
  async #writeStored(columns) {
    const { session } = this;
    for (const { table, key, column, pushed, stored } of columns) {
      const change = await session.change(table, key);
      const isWithheld = await session.store.get("withheld", table.name, key) !== undefined;
      if (!change && !isWithheld && table.isReceived) continue;
      if (change && change.kind !== "update") continue;
      const row = await session.row(table, key);
      if (row && table.areEqual(column, own(row, column), pushed)) {
        session.putRow(table, key, { ...row, [column]: stored });
      }
    }
  }

  /** Removes the rows that a complete copy did not bring, except those with a local change. */
  async #dropUnconfirmed() {
    const { session, page: { cursor } } = this;
    if (cursor.scan !== undefined || cursor.checkpoint === undefined) return;
    for (const name of Object.keys(cursor.tables)) {
      // The cursor also names the priorities, under an empty name.
      const table = session.tables.get(name);
      if (!table?.isKnown) continue;
      const state = session.tableState(name);
      if (!state.isUnconfirmed) continue;
      /** @type {[string, Row][]} */
      const old = [];
      await session.store.each("rows", name, (key, { g, v }) => {
        if (g < state.generation) old.push([String(key), v]);
      });
      for (const [key, row] of old) {
        const change = await session.change(table, key);
        // A row with an edit stays until the edit is answered, and its values are listed now.
        if (!change || change.kind === "update") {
          listRecovered(session, name, key, row, "goneAtHub");
        }
        if (change) continue;
        session.deleteRow(table, key);
        this.#removed += 1;
      }
      state.isUnconfirmed = false;
    }
  }

  #finish() {
    const { page, session, time } = this;
    const { state } = session;
    session.dirty();
    state.cursor = cursorCodec.write(page.cursor);
    if (page.expected !== undefined) {
      state.progress = { done: 0, expected: Number(page.expected) };
    }
    if (state.progress) state.progress.done += this.#written;
    if (page.caughtUp) {
      state.progress = null;
      state.caughtUp = { here: time.here, hub: time.hub };
    }
  }
}

/** @param {(import("./tables.js").Column | undefined)[]} columns @param {WireValue[]} values */
function rowOf(columns, values) {
  /** @type {Row} */
  const row = bare();
  for (const [index, column] of columns.entries()) {
    if (column) row[column.name] = fromWire(column.type, values[index]);
  }
  return row;
}

/** @param {WireValue} value */
function isNaN64(value) { return value instanceof Real && Number.isNaN(value.value); }
