// A store in memory: for tests, and for programs that keep nothing.

import { COLLECTIONS } from "./store.js";
import { Mutex } from "./mutex.js";
import { MoorageError } from "./errors.js";

/** @typedef {import("./store.js").KeyPart} KeyPart */

/** What one collection contains, by both parts of the key. */
class Collection {
  constructor() {
    /** @type {Map<KeyPart, Map<KeyPart, any>>} */
    this.parts = new Map();
  }

  /** @param {KeyPart} first */
  part(first) {
    let part = this.parts.get(first);
    if (part === undefined) {
      part = new Map();
      this.parts.set(first, part);
    }
    return part;
  }
}

/** @implements {import("./store.js").Store} */
export class MemoryStore {
  #mutex = new Mutex();
  #isClosed = false;

  constructor() {
    this.sharedAs = null;
    /** @type {Map<string, Collection>} */
    this.collections = new Map(COLLECTIONS.map((name) => [name, new Collection()]));
  }

  async open() { this.#isClosed = false; }

  close() { this.#isClosed = true; }

  /** @template T @param {(transaction: MemoryTransaction) => Promise<T>} work */
  read(work) { return this.#run(work, false); }

  /** @template T @param {(transaction: MemoryTransaction) => Promise<T>} work */
  write(work) { return this.#run(work, true); }

  /** @template T @param {(transaction: MemoryTransaction) => Promise<T>} work */
  #run(work, /** @type {boolean} */ mayWrite) {
    return this.#mutex.run(async () => {
      if (this.#isClosed) throw new MoorageError("databaseClosed", "The replica is closed.");
      const transaction = new MemoryTransaction(this.collections, mayWrite);
      try {
        return await work(transaction);
      } catch (error) {
        transaction.rollBack();
        throw error;
      } finally {
        transaction.isOver = true;
      }
    });
  }
}

/** @implements {import("./store.js").Transaction} */
class MemoryTransaction {
  /** @type {(() => void)[]} */
  #undo = [];

  /** @param {Map<string, Collection>} collections @param {boolean} mayWrite */
  constructor(collections, mayWrite) {
    this.collections = collections;
    this.mayWrite = mayWrite;
    this.isOver = false;
  }

  rollBack() {
    for (const undo of this.#undo.reverse()) undo();
  }

  /** @param {string} name @param {KeyPart} first */
  #part(name, first) {
    if (this.isOver) throw new MoorageError("database", "The transaction is over.");
    return /** @type {Collection} */ (this.collections.get(name)).part(first);
  }

  /** @param {string} name @param {KeyPart} first @param {KeyPart} second */
  async get(name, first, second) {
    return structuredClone(this.#part(name, first).get(second));
  }

  /** @param {string} name @param {KeyPart} first @returns {Promise<[KeyPart, any][]>} */
  async list(name, first) {
    return structuredClone([...this.#part(name, first)]);
  }

  /**
   * @param {string} name
   * @param {KeyPart} first
   * @param {(second: KeyPart, value: any) => void | Promise<void>} visit
   */
  async each(name, first, visit) {
    for (const [second, value] of [...this.#part(name, first)]) {
      await visit(second, structuredClone(value));
    }
  }

  /** @param {string} name @param {KeyPart} [first] */
  async count(name, first) {
    if (first !== undefined) return this.#part(name, first).size;
    const parts = /** @type {Collection} */ (this.collections.get(name)).parts;
    return [...parts.values()].reduce((sum, part) => sum + part.size, 0);
  }

  /** @param {string} name @param {KeyPart} first @param {KeyPart} second @param {any} value */
  put(name, first, second, value) {
    this.#change(this.#part(name, first), second);
    this.#part(name, first).set(second, structuredClone(value));
  }

  /** @param {string} name @param {KeyPart} first @param {KeyPart} second */
  delete(name, first, second) {
    this.#change(this.#part(name, first), second);
    this.#part(name, first).delete(second);
  }

  /** @param {string} name @param {KeyPart} [first] */
  clear(name, first) {
    const collection = /** @type {Collection} */ (this.collections.get(name));
    const firsts = first === undefined ? [...collection.parts.keys()] : [first];
    for (const one of firsts) {
      for (const second of [...this.#part(name, one).keys()]) this.delete(name, one, second);
    }
  }

  /** @param {Map<KeyPart, any>} part @param {KeyPart} second */
  #change(part, second) {
    if (!this.mayWrite) throw new MoorageError("database", "The transaction may only read.");
    const before = part.get(second);
    this.#undo.push(before === undefined
      ? () => part.delete(second) : () => part.set(second, before));
  }
}
