// As much of IndexedDB as the replica's store uses, in memory. It keeps the rules that matter:
//
//   - A transaction is only active while a callback of it runs.
//   - It ends by itself when nothing is asked of it, and an abort undoes all.
//   - Transactions that write go one after the other.

/** Compares keys: arrays after texts, texts after numbers. */
function compare(left, right) {
  const rank = (key) => (Array.isArray(key) ? 2 : typeof key === "string" ? 1 : 0);
  if (rank(left) !== rank(right)) return rank(left) - rank(right);
  if (!Array.isArray(left)) return left < right ? -1 : left > right ? 1 : 0;
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const result = compare(left[index], right[index]);
    if (result !== 0) return result;
  }
  return left.length - right.length;
}

export class FakeKeyRange {
  static bound(lower, upper, lowerOpen = false, upperOpen = false) {
    return Object.assign(new FakeKeyRange(), { lower, upper, lowerOpen, upperOpen });
  }

  includes(key) {
    const low = compare(key, this.lower);
    const high = compare(key, this.upper);
    return (this.lowerOpen ? low > 0 : low >= 0) && (this.upperOpen ? high < 0 : high <= 0);
  }
}

/** One object store: values in the order of their keys. */
class Values {
  constructor() {
    this.byText = new Map();
    this.sorted = null;
  }

  get(key) { return this.byText.get(JSON.stringify(key)); }

  set(key, entry) {
    const text = JSON.stringify(key);
    if (!this.byText.has(text) || entry === undefined) this.sorted = null;
    if (entry === undefined) this.byText.delete(text);
    else this.byText.set(text, entry);
  }

  within(range) {
    this.sorted ??= [...this.byText.values()].sort((a, b) => compare(a.key, b.key));
    const all = range ? this.sorted.filter(({ key }) => range.includes(key)) : this.sorted;
    // The list may have values from before a later put.
    return all.map(({ key }) => this.get(key));
  }
}

class FakeRequest {
  constructor() {
    this.onsuccess = null;
    this.onerror = null;
    this.result = undefined;
    this.error = null;
  }
}

class FakeTransaction {
  constructor(database, mode) {
    this.database = database;
    this.mode = mode;
    this.error = null;
    this.oncomplete = null;
    this.onabort = null;
    this.isActive = true;
    this.isOver = false;
    this.hasStarted = false;
    this.requests = [];
    this.undo = [];
    // Active until control returns to the event loop.
    setImmediate(() => {
      this.isActive = false;
      database.data.schedule();
    });
  }

  objectStore(name) {
    const values = this.database.data.stores.get(name);
    if (!values) throw new DOMException("no such store", "NotFoundError");
    return new FakeObjectStore(this, values);
  }

  ask(work) {
    if (this.isOver || !this.isActive) {
      throw new DOMException("the transaction is not active", "TransactionInactiveError");
    }
    const request = new FakeRequest();
    this.requests.push({ request, work });
    return request;
  }

  abort() {
    if (this.isOver) throw new DOMException("the transaction is over", "InvalidStateError");
    this.end("abort");
  }

  /** Runs one request, and goes on. */
  step() {
    if (this.isOver) return;
    const next = this.requests.shift();
    if (!next) {
      this.end("complete");
      return;
    }
    try {
      next.request.result = next.work();
    } catch (error) {
      this.error = error;
      next.request.error = error;
      next.request.onerror?.({ target: next.request });
      if (!this.isOver) this.end("abort");
      return;
    }
    this.isActive = true;
    next.request.onsuccess?.({ target: next.request });
    // The promises that wait for the request go on before this.
    setImmediate(() => {
      this.isActive = false;
      this.step();
    });
  }

  end(how) {
    this.isOver = true;
    this.isActive = false;
    if (how === "abort") {
      for (const undo of this.undo.reverse()) undo();
      // Each request that is not done fails, before the transaction says that it aborted.
      for (const { request } of this.requests.splice(0)) {
        setImmediate(() => {
          request.error = new DOMException("aborted", "AbortError");
          request.onerror?.({ target: request });
        });
      }
    }
    const { data } = this.database;
    data.running.delete(this);
    setImmediate(() => {
      if (how === "abort") this.onabort?.();
      else this.oncomplete?.();
      data.schedule();
    });
  }
}

class FakeObjectStore {
  constructor(transaction, values) {
    this.transaction = transaction;
    this.values = values;
  }

  get(key) { return this.transaction.ask(() => structuredClone(this.values.get(key)?.value)); }

  getAll(range, count) {
    return this.transaction.ask(() =>
      structuredClone(this.values.within(range).slice(0, count).map(({ value }) => value)));
  }

  getAllKeys(range, count) {
    return this.transaction.ask(() =>
      structuredClone(this.values.within(range).slice(0, count).map(({ key }) => key)));
  }

  count(range) { return this.transaction.ask(() => this.values.within(range).length); }

  put(value, key) {
    const copy = structuredClone(value);
    return this.change(() => this.set(key, { key, value: copy }));
  }

  delete(keyOrRange) {
    return this.change(() => {
      if (!(keyOrRange instanceof FakeKeyRange)) return this.set(keyOrRange, undefined);
      for (const { key } of this.values.within(keyOrRange)) this.set(key, undefined);
      return undefined;
    });
  }

  clear() {
    return this.change(() => {
      for (const { key } of this.values.within(null)) this.set(key, undefined);
    });
  }

  change(work) {
    if (this.transaction.mode !== "readwrite") {
      throw new DOMException("the transaction may only read", "ReadOnlyError");
    }
    return this.transaction.ask(() => {
      const { data } = this.transaction.database;
      data.writes += 1;
      if (data.writes === data.failsAt) {
        throw new DOMException("no space", "QuotaExceededError");
      }
      work();
    });
  }

  set(key, entry) {
    const before = this.values.get(key);
    this.transaction.undo.push(() => this.values.set(key, before));
    this.values.set(key, entry);
  }
}

/** What all connections to one database share. */
class Data {
  constructor() {
    this.stores = new Map();
    this.version = 0;
    this.waiting = [];
    this.running = new Set();
    this.connections = new Set();
    this.writes = 0;
    /** For tests: the write that finds no space. */
    this.failsAt = null;
  }

  schedule() {
    while (this.waiting.length > 0) {
      const [next] = this.waiting;
      const mayRun = this.running.size === 0
        || (next.mode === "readonly" && [...this.running].every((one) => one.mode === "readonly"));
      if (next.isActive || !mayRun) return;
      this.waiting.shift();
      if (next.isOver) continue;
      this.running.add(next);
      setImmediate(() => next.step());
    }
  }

  /** The same content in another database, as from a backup. */
  copy() {
    const copy = new Data();
    copy.version = this.version;
    for (const [name, values] of this.stores) {
      const copied = new Values();
      for (const { key, value } of values.within(null)) {
        copied.set(key, { key, value: structuredClone(value) });
      }
      copy.stores.set(name, copied);
    }
    return copy;
  }
}

class FakeDatabase {
  constructor(data) {
    this.data = data;
    this.isClosed = false;
    this.onversionchange = null;
    data.connections.add(this);
  }

  createObjectStore(name) { this.data.stores.set(name, new Values()); }

  transaction(_names, mode) {
    if (this.isClosed) throw new DOMException("closed", "InvalidStateError");
    const transaction = new FakeTransaction(this, mode);
    this.data.waiting.push(transaction);
    return transaction;
  }

  close() {
    this.isClosed = true;
    this.data.connections.delete(this);
  }
}

export class FakeIndexedDB {
  constructor() { this.databases = new Map(); }

  open(name, version) {
    const request = new FakeRequest();
    setImmediate(() => {
      if (!this.databases.has(name)) this.databases.set(name, new Data());
      const data = this.databases.get(name);
      if (data.version > version) {
        request.error = new DOMException("an older version", "VersionError");
        request.onerror?.();
        return;
      }
      request.result = new FakeDatabase(data);
      if (data.version < version) {
        for (const one of data.connections) if (one !== request.result) one.onversionchange?.();
        data.version = version;
        request.onupgradeneeded?.();
      }
      setImmediate(() => request.onsuccess?.());
    });
    return request;
  }

  /** Closes all connections, as WebKit does when its database process ended. */
  lose(name) {
    const data = this.databases.get(name);
    for (const transaction of [...data.running, ...data.waiting.splice(0)]) {
      transaction.error = new DOMException("lost", "UnknownError");
      if (!transaction.isOver) transaction.end("abort");
    }
    for (const connection of [...data.connections]) {
      connection.close();
      setImmediate(() => connection.onclose?.());
    }
  }

  /** What a replica of a browser that supports IndexedDB finds. */
  get environment() { return { indexedDB: this, IDBKeyRange: FakeKeyRange }; }
}
