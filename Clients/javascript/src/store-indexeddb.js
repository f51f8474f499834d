// A store in IndexedDB, which all tabs of a site share.

import { MoorageError } from "./errors.js";
import { COLLECTIONS } from "./store.js";

/** @typedef {import("./store.js").KeyPart} KeyPart */

/** The version of the database's object stores. */
const VERSION = 1;
/** How many values are read at once. */
const PART = 1_000;

/**
 * The keys that begin with a part: an array is greater than every text and every number.
 *
 * @param {KeyPart} first
 */
function bounds(first) { return { lower: [first], upper: [first, []] }; }

/** @param {any} error @param {string} what */
function failed(error, what) {
  if (error instanceof MoorageError) return error;
  if (error?.name === "QuotaExceededError") {
    return new MoorageError(
      "diskFull",
      "The browser gives the replica no more space. Nothing is half done. Free some space; the "
        + "replica tries again.", { cause: error });
  }
  if (error?.name === "InvalidStateError") {
    return new MoorageError(
      "databaseClosed", "The replica's database is closed. Open the replica again.",
      { cause: error });
  }
  return new MoorageError(
    "database", `The browser's database failed ${what}. What was committed is safe.`,
    { cause: error });
}

/** @implements {import("./store.js").Store} */
export class IndexedDBStore {
  /** @type {IDBDatabase | null} */
  #database = null;
  #isClosed = true;
  /** @type {Promise<IDBDatabase> | null} While it opens. */
  #opening = null;
  #factory;
  #range;

  /**
   * @param {string} name The replica's name.
   * @param {{ indexedDB?: IDBFactory, IDBKeyRange?: typeof IDBKeyRange }} [environment]
   */
  constructor(name, environment = globalThis) {
    this.sharedAs = `moorage-${name}`;
    this.#factory = /** @type {IDBFactory} */ (environment.indexedDB);
    this.#range = /** @type {typeof IDBKeyRange} */ (environment.IDBKeyRange);
  }

  async open() {
    this.#isClosed = false;
    await this.#opened();
  }

  /** The connection. One that the browser closed by itself is opened again. */
  async #opened() {
    if (this.#isClosed) {
      throw new MoorageError(
        "databaseClosed", "The replica's database is closed. Open the replica again.");
    }
    if (this.#database !== null) return this.#database;
    this.#opening ??= this.#connect().finally(() => { this.#opening = null; });
    return this.#opening;
  }

  async #connect() {
    /** @type {IDBDatabase} */
    const database = await new Promise((resolve, reject) => {
      const request = this.#factory.open(this.sharedAs, VERSION);
      request.onupgradeneeded = () => {
        for (const name of COLLECTIONS) request.result.createObjectStore(name);
      };
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error?.name === "VersionError"
        ? new MoorageError(
          "metadataNewer", "A newer version of the app wrote this database. Reload the page.")
        : failed(request.error, "to open"));
    });
    // A newer version of the app, or somebody who deletes the database, waits for this.
    database.onversionchange = () => this.close();
    database.onclose = () => this.#lost(database);
    if (this.#isClosed) database.close();
    else this.#database = database;
    return database;
  }

  /** @param {IDBDatabase} database */
  #lost(database) {
    if (this.#database === database) this.#database = null;
  }

  close() {
    this.#isClosed = true;
    this.#database?.close();
    this.#database = null;
  }

  /** @template T @param {(transaction: any) => Promise<T>} work */
  read(work) { return this.#run(work, "readonly", false); }

  /** @template T @param {(transaction: any) => Promise<T>} work */
  write(work, isDurable = false) { return this.#run(work, "readwrite", isDurable); }

  /**
   * @template T
   * @param {(transaction: any) => Promise<T>} work
   * @param {IDBTransactionMode} mode
   * @param {boolean} isDurable
   */
  async #run(work, mode, isDurable) {
    const transaction = await this.#begin(mode, isDurable);
    const committed = new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(undefined);
      transaction.onabort = () => reject(failed(transaction.error, "to commit"));
    });
    // It may fail before anybody waits for it.
    committed.catch(() => {});
    try {
      const result = await work(new IndexedDBTransaction(transaction, this.#range));
      await committed;
      return result;
    } catch (error) {
      try {
        transaction.abort();
      } catch {
        // It is over already.
      }
      // When a write fails, all requests behind it only say that they were aborted.
      if (transaction.error) throw failed(transaction.error, "in a transaction");
      throw error instanceof DOMException && error.name !== "AbortError"
        ? failed(error, "in a transaction") : error;
    }
  }

  /** @param {IDBTransactionMode} mode @param {boolean} isDurable */
  async #begin(mode, isDurable) {
    for (let isAgain = false; ; isAgain = true) {
      const database = await this.#opened();
      try {
        return database.transaction(
          COLLECTIONS, mode, { durability: isDurable ? "strict" : "default" });
      } catch (error) {
        // The browser closed it, and has not said so yet.
        const isLost = error instanceof DOMException && error.name === "InvalidStateError";
        if (!isLost || isAgain) throw failed(error, "to begin a transaction");
        this.#lost(database);
      }
    }
  }
}

/** @implements {import("./store.js").Transaction} */
class IndexedDBTransaction {
  /** @param {IDBTransaction} transaction @param {typeof IDBKeyRange} range */
  constructor(transaction, range) {
    this.transaction = transaction;
    this.range = range;
  }

  /**
   * @param {string} name
   * @param {(store: IDBObjectStore) => IDBRequest} ask
   * @returns {Promise<any>}
   */
  #ask(name, ask) {
    return new Promise((resolve, reject) => {
      const request = ask(this.transaction.objectStore(name));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(failed(request.error, "to read"));
    });
  }

  /** @param {KeyPart} first */
  #within(first) {
    const { lower, upper } = bounds(first);
    return this.range.bound(lower, upper);
  }

  /** @param {string} name @param {KeyPart} first @param {KeyPart} second */
  get(name, first, second) { return this.#ask(name, (store) => store.get([first, second])); }

  /** @param {string} name @param {KeyPart} first @returns {Promise<[KeyPart, any][]>} */
  async list(name, first) {
    /** @type {[KeyPart, any][]} */
    const result = [];
    await this.each(name, first, (second, value) => { result.push([second, value]); });
    return result;
  }

  /**
   * @param {string} name
   * @param {KeyPart} first
   * @param {(second: KeyPart, value: any) => void | Promise<void>} visit
   */
  async each(name, first, visit) {
    const { lower, upper } = bounds(first);
    let range = this.range.bound(lower, upper);
    for (;;) {
      const [keys, values] = await Promise.all([
        this.#ask(name, (store) => store.getAllKeys(range, PART)),
        this.#ask(name, (store) => store.getAll(range, PART)),
      ]);
      for (const [index, key] of keys.entries()) await visit(key[1], values[index]);
      if (keys.length < PART) return;
      range = this.range.bound(keys[keys.length - 1], upper, true);
    }
  }

  /** @param {string} name @param {KeyPart} [first] */
  count(name, first) {
    return this.#ask(
      name, (store) => (first === undefined ? store.count() : store.count(this.#within(first))));
  }

  /** @param {string} name @param {KeyPart} first @param {KeyPart} second @param {any} value */
  put(name, first, second, value) {
    this.transaction.objectStore(name).put(value, [first, second]);
  }

  /** @param {string} name @param {KeyPart} first @param {KeyPart} second */
  delete(name, first, second) { this.transaction.objectStore(name).delete([first, second]); }

  /** @param {string} name @param {KeyPart} [first] */
  clear(name, first) {
    const store = this.transaction.objectStore(name);
    if (first === undefined) store.clear();
    else store.delete(this.#within(first));
  }
}
