// The tables of histories, and random writes into them.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

export const SCHEMA = [
  "CREATE TABLE customers(id TEXT PRIMARY KEY, name TEXT NOT NULL, city TEXT)",
  `CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id TEXT REFERENCES customers(id),
     freight DECIMAL(10,2) NOT NULL DEFAULT '0', shipped BOOLEAN NOT NULL DEFAULT 0, weight REAL,
     big BIGINT, note TEXT, picture BLOB, due DATETIME)`,
  `CREATE TABLE lines(order_id INTEGER NOT NULL REFERENCES orders(id) ON DELETE CASCADE,
     line INTEGER NOT NULL, quantity INTEGER NOT NULL, PRIMARY KEY(order_id, line))`,
  "CREATE TABLE notes(id UUID PRIMARY KEY, body TEXT NOT NULL, parent UUID REFERENCES notes(id))",
  "CREATE TABLE counters(id INTEGER PRIMARY KEY, n INTEGER NOT NULL DEFAULT 0)",
  "CREATE TABLE tags(id UUID PRIMARY KEY, label TEXT NOT NULL UNIQUE)",
];

export const CONFIGURATION = `
limits: { requestsPerMinute: 1000000, replicasPerUser: 1000000 }
tables:
  customers:
  orders: { keyBlock: 20 }
  lines:
  notes: { granularity: row }
  counters: { columns: { n: { rule: add } } }
  tags:
`;

export const TABLES = ["customers", "orders", "lines", "notes", "counters", "tags"];
export const LISTED = {
  customers: { key: ["id"] }, orders: { key: ["id"] }, lines: { key: ["order_id", "line"] },
  notes: { key: ["id"] }, counters: { key: ["id"] }, tags: { key: ["id"] },
};

/** Writes at random into a replica, and looks at what goes up. */
export class Editor {
  #tokens = 0;
  #isKnown = false;
  /** What the running write adds to counters. @type {[number, number][]} */
  #adding = [];
  /** Every value that was sent, and every value that somebody replaced knowingly. */
  sent = new Set();
  replaced = new Set();
  edits = 0;
  /** Called before a write is stored. */
  beforeCommit = async () => {};

  /**
   * @param {(limit: number) => number} next Random numbers.
   * @param {string} name Part of each value, so that no two editors write the same.
   */
  constructor(next, name) {
    this.next = next;
    this.name = name;
  }

  newToken(who) {
    this.#tokens += 1;
    return `${who}-${this.name}-${this.#tokens}-é"\\`;
  }

  /** Half of the ids are the replica's own, once it knows that they are UUIDs. */
  newID() { return this.#isKnown && this.next(2) === 0 ? {} : { id: randomUUID() }; }

  /**
   * One write of some edits.
   *
   * @param {import("../../src/replica.js").Replica} replica
   * @returns {Promise<[number, number][]>} What it added to which counter.
   */
  async write(replica) {
    const { next } = this;
    this.#isKnown = (await replica.rights("tags")).insert("label");
    const count = 1 + next(4);
    try {
      await replica.write(async (tx) => {
        this.#adding = [];
        for (let edit = 0; edit < count; edit += 1) {
          this.edits += 1;
          await this.#edit(tx);
        }
        await this.beforeCommit();
      }, { together: next(8) === 0 });
      return this.#adding;
    } catch (error) {
      assert.ok(["unique", "notFound"].includes(error.code), `${this.name}: ${error.stack}`);
      return [];
    }
  }

  /** The one who edits replaces these values knowingly, also where no batch says so. */
  #replaces(row) {
    for (const value of Object.values(row)) if (isToken(value)) this.replaced.add(value);
  }

  async #edit(tx) {
    const { next } = this;
    const pick = async (table) => {
      const rows = await tx.table(table).all();
      return rows.length === 0 ? null : rows[next(rows.length)];
    };
    switch (next(14)) {
      case 0: case 1:
        await tx.table("customers").insert({
          id: next(3) === 0 ? `c${next(4)}` : this.newToken("id"), name: this.newToken("name"),
        });
        return;
      case 2: case 3: {
        const customer = await pick("customers");
        const row = {
          customer_id: customer?.id ?? null, freight: `${next(100)}.${next(10)}0`,
          weight: next(1000) / 8, big: 2n ** 60n + BigInt(next(1000)), note: this.newToken("note"),
          picture: Uint8Array.of(next(256), 0, 255), due: `2026-0${1 + next(9)}-01 10:00:00`,
        };
        // Two devices may choose the same key; the hub keeps both rows.
        try {
          await tx.table("orders").insert(next(3) === 0 ? { id: 1 + next(6), ...row } : row);
        } catch (error) {
          // Before the first contact nobody can say a key.
          if (!["noKeysLeft", "notNull"].includes(error.code)) throw error;
        }
        return;
      }
      case 4: {
        const order = await pick("orders");
        if (order) {
          await tx.table("lines").insert(
            { order_id: order.id, line: 1 + next(5), quantity: next(50) });
        }
        return;
      }
      case 5: {
        const parent = await pick("notes");
        await tx.table("notes").insert({
          ...this.newID(), body: this.newToken("body"),
          parent: next(2) === 0 ? parent?.id ?? null : null,
        });
        return;
      }
      case 6: case 7: {
        const id = 1 + next(2);
        const row = await tx.table("counters").get(id);
        if (!row) return;
        const delta = 1 + next(9);
        await tx.table("counters").update(id, { n: row.n + delta });
        this.#adding.push([id, delta]);
        return;
      }
      case 8:
        await tx.table("tags").insert({ ...this.newID(), label: `label ${next(5)}` });
        return;
      case 9: {
        const table = ["customers", "orders", "lines", "notes", "tags"][next(5)];
        const row = await pick(table);
        if (!row) return;
        this.#replaces(row);
        await tx.table(table).delete(row);
        return;
      }
      case 10: {
        const row = await pick("customers");
        if (!row) return;
        const column = next(2) === 0 ? "name" : "city";
        this.#replaces({ [column]: row[column] });
        await tx.table("customers").update(row.id, { [column]: this.newToken("change") });
        return;
      }
      case 11: {
        const row = await pick("orders");
        if (!row) return;
        if (next(2) === 0) {
          this.#replaces({ note: row.note });
          await tx.table("orders").update(
            row.id, { note: this.newToken("note"), shipped: !row.shipped });
        } else {
          await tx.table("orders").update(row.id, { freight: `${next(9)}.5`, weight: -0.5 });
        }
        return;
      }
      case 12: {
        const row = await pick("notes");
        if (!row) return;
        this.#replaces({ body: row.body });
        await tx.table("notes").update(row.id, { body: this.newToken("body") });
        return;
      }
      default: {
        const [one, other] = [await pick("tags"), await pick("tags")];
        if (!one || !other || one.id === other.id) return;
        // A unique value moves from one row to another.
        await tx.table("tags").update(one.id, { label: `moved ${next(1000)}` });
        await tx.table("tags").update(other.id, { label: one.label });
      }
    }
  }

  /** Looks at what goes up. @param {string | undefined} body */
  observe(body) {
    if (!body?.includes('"batch":')) return;
    const { changes } = JSON.parse(body).batch;
    for (const change of changes) {
      for (const [, old, now] of change.update ?? []) {
        if (old === now) continue;
        if (isToken(now)) this.sent.add(now);
        this.replaced.add(old);
      }
      for (const value of change.insert ?? []) if (isToken(value)) this.sent.add(value);
      for (const value of change.delete ?? []) this.replaced.add(value);
    }
  }
}

/** Values that only one edit writes. */
function isToken(value) {
  return typeof value === "string" && /^(id|name|note|body|change)-./.test(value);
}
