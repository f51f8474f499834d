// A replica: rows of a hub's tables in this browser, which an app reads and writes at once.

import { relist } from "./adopt.js";
import { misuse, MoorageError, report } from "./errors.js";
import { Reporter } from "./report.js";
import * as review from "./review.js";
import { rightsOn } from "./rights.js";
import { Runner } from "./runner.js";
import { subscribe, subscriptionStates } from "./scopes.js";
import { Core, firstState } from "./session.js";
import { COLLECTIONS } from "./store.js";
import { IndexedDBStore } from "./store-indexeddb.js";
import { MemoryStore } from "./store-memory.js";
import { Syncer } from "./sync.js";
import { TableView } from "./table-view.js";
import { SILENCE, Transport, within } from "./transport.js";
import { verified } from "./verify.js";
import { noSuchTable } from "./write.js";
import { written } from "./writer.js";

/** @typedef {import("./fold.js").Row} Row */
/** @typedef {import("./write.js").WriteTransaction} WriteTransaction */

/**
 * @typedef {object} ReplicaOptions
 * @property {string} name The name of the replica on this device. Give each user another one.
 * @property {string | URL} url The hub's address.
 * @property {import("./transport.js").TokenSource} [token] Gives the credential for a request.
 * @property {Record<string, import("./tables.js").TableOptions>} [tables] The tables by the names
 *   that the app uses; all tables of the hub without it.
 * @property {import("./store.js").Store} [store] IndexedDB where there is one, otherwise memory.
 * @property {import("./report.js").Device} [device] What the owner of the hub sees of this device.
 * @property {boolean} [live] Whether to follow a live stream; yes without it.
 * @property {boolean} [allowsPlainHTTP] Whether token and rows may go unencrypted over a network.
 * @property {() => Promise<void> | void} [willWipe] Called before the replica deletes everything,
 *   because the owner of the hub ordered it.
 * @property {Environment} [environment] For tests: what the browser has.
 */

/**
 * @typedef {import("./tabs.js").TabsEnvironment & { indexedDB?: IDBFactory,
 *   IDBKeyRange?: typeof IDBKeyRange, fetch?: typeof fetch, now?: () => number,
 *   randomize?: (bytes: Uint8Array) => void, chance?: () => number,
 *   pace?: Partial<typeof import("./pacing.js").PACE>, limits?: any, events?: EventTarget }}
 *   Environment
 */

/** @returns {Environment} */
function browser() {
  const { navigator, BroadcastChannel, indexedDB, IDBKeyRange, addEventListener } = globalThis;
  return {
    locks: navigator?.locks, BroadcastChannel, indexedDB, IDBKeyRange,
    events: addEventListener ? /** @type {any} */ (globalThis) : undefined,
  };
}

/**
 * Opens a replica. It needs no network.
 *
 * @param {ReplicaOptions} options
 * @returns {Promise<Replica>}
 */
export async function openReplica(options) {
  const replica = new Replica(options);
  await replica.open();
  return replica;
}

/**
 * Rows of a hub's tables on this device. Events: `statuschange`; `change`, whose `detail` names the
 * tables and says whether the change came from an app (`local`) or from the hub (`hub`).
 */
export class Replica extends EventTarget {
  #core;
  #transport;
  #reporter;
  #runner;
  #willWipe;

  /** @param {ReplicaOptions} options Call `openReplica` instead. */
  constructor(options) {
    super();
    const { name, url, token, tables, store, device, live, allowsPlainHTTP, willWipe } = options;
    const environment = { ...browser(), ...options.environment };
    const { now, randomize, fetch, limits } = environment;
    const ownStore = store ?? (environment.indexedDB
      ? new IndexedDBStore(name, environment) : new MemoryStore());
    const core = new Core({ store: ownStore, listed: tables ?? null, now, randomize });
    const transport = new Transport({ url, token, allowsPlainHTTP, fetch });
    const reporter = new Reporter(device ?? {});
    this.#core = core;
    this.#transport = transport;
    this.#reporter = reporter;
    this.#willWipe = willWipe;
    this.#runner = new Runner({
      core, reporter, environment, isLive: live ?? true,
      syncer: new Syncer({ core, transport, reporter, limits }),
      onStatus: () => this.dispatchEvent(new Event("statuschange")),
      onCommit: ({ tables: changed, source }) => {
        if (changed.length === 0) return;
        this.dispatchEvent(new CustomEvent("change", { detail: { tables: changed, source } }));
      },
      onWipe: () => this.#wipe(),
    });
  }

  /** Called by `openReplica`. */
  async open() {
    await this.#core.store.open();
    await this.#core.write(async (session) => {
      if (session.state.listed !== this.#core.listedText) await relist(session);
    });
    await this.#core.begin();
    await this.#runner.open();
  }

  /** Stops syncing and closes the store. What is stored stays. */
  async close() {
    await this.stop();
    this.#runner.close();
    this.#core.store.close();
  }

  // MARK: Rows

  /** A table by the name that the app uses. @param {string} name */
  table(name) { return new TableView(this.#core, name); }

  /**
   * Stores all that `body` writes, or nothing. It may run again, if another tab wrote meanwhile.
   *
   * @template T
   * @param {(transaction: WriteTransaction) => Promise<T> | T} body Uses its transaction alone.
   * @param {{ together?: boolean }} [options] `together`: the hub takes all changes, or none.
   * @returns {Promise<T>}
   */
  write(body, { together = false } = {}) { return written(this.#core, body, { together }); }

  /**
   * Calls back now, and after each commit that changed one of the tables. It never calls twice at
   * once.
   *
   * @param {string[]} tables
   * @param {() => Promise<void> | void} callback
   * @returns {() => void} Ends it.
   */
  observe(tables, callback) {
    let isRunning = false;
    let isDue = false;
    let isOver = false;
    const run = async () => {
      isDue = true;
      if (isRunning) return;
      isRunning = true;
      while (isDue && !isOver) {
        isDue = false;
        try {
          await callback();
        } catch (error) {
          // The app's own failure is the app's to see, and ends nothing here.
          report(error);
        }
      }
      isRunning = false;
    };
    const listener = (/** @type {Event} */ event) => {
      const changed = /** @type {CustomEvent} */ (event).detail.tables;
      if (tables.some((name) => changed.includes(name))) run();
    };
    this.addEventListener("change", listener);
    run();
    return () => {
      isOver = true;
      this.removeEventListener("change", listener);
    };
  }

  // MARK: Syncing

  /** Keeps the replica up to date from now on. */
  start() { this.#runner.start(); }

  /** Stops syncing; waits until the exchange under way is over. */
  stop() { return this.#runner.stop(); }

  /** One whole sync. @param {{ signal?: AbortSignal }} [options] */
  sync({ signal } = {}) { return this.#runner.sync(signal); }

  /** Call it when a push notification arrives: the next exchange comes now. */
  wake() { this.#runner.wake(); }

  /** The state of the replica now; `statuschange` follows each change. */
  get status() { return this.#runner.status; }

  /** A random UUID, for the key of a row. */
  newID() { return this.#core.newID(); }

  /** The id by which the hub knows this replica. It can change. @returns {Promise<string>} */
  id() { return this.#core.read(async ({ state }) => state.replica); }

  /** What the user may write into a table, as the hub last said. @param {string} name */
  rights(name) {
    return this.#core.read(async (session) => {
      const table = session.tables.get(name);
      if (!table) throw noSuchTable(name);
      return rightsOn(table, await session.rights());
    });
  }

  /**
   * Compares a table with the hub's. Rows with a pending change are left out.
   *
   * @param {string} name
   * @param {{ signal?: AbortSignal }} [options]
   */
  verify(name, { signal } = {}) {
    return verified(this.#core, this.#transport, name, this.#reporter.appVersion, signal);
  }

  // MARK: Scopes

  /**
   * Asks for the rows of a scope, or gives it another priority.
   *
   * @param {string} scope
   * @param {{ priority?: "high" | "low", timeToLive?: number }} [options]
   */
  async subscribe(scope, options = {}) {
    await this.#change((session) => {
      subscribe(session.state, scope, options, this.#core.now());
    });
    this.#runner.wake();
  }

  /** The exchange that follows removes the rows of the scope. @param {string} scope */
  async unsubscribe(scope) {
    await this.#change((session) => { delete session.state.scopes[scope]; });
    this.#runner.wake();
  }

  subscriptions() {
    return this.#core.read(async (session) =>
      subscriptionStates(session.state, session.cursor));
  }

  // MARK: Review

  /** Changes that the hub has not answered. */
  pending() { return this.#core.read(review.pendingChanges); }

  /** Changes that were refused, and rows that were removed and are kept in this list. */
  refused(limit = review.MAXIMUM_ENTRIES) {
    return this.#core.read((session) => review.refusedChanges(session, limit));
  }

  /** Changes that lost a conflict, with both sides. */
  conflicts(limit = review.MAXIMUM_ENTRIES) {
    return this.#core.read((session) => review.conflicts(session, limit));
  }

  /** Rows that have a value at the hub that this device cannot store. */
  withheld(limit = review.MAXIMUM_ENTRIES) {
    return this.#core.read((session) => review.withheldRows(session, limit));
  }

  /** Takes an entry off its list. @param {review.RefusedChange | review.Conflict} entry */
  dismiss(entry) { return this.#change((session) => review.dismiss(session, entry)); }

  /** Writes a refused change again, with its group. @param {review.RefusedChange} entry */
  async retry(entry) {
    if (entry.isBlocked) throw review.stillPending(entry.table);
    const entries = await this.#core.read((session) => review.groupOf(session, entry));
    return this.#decide(entries, (one) => ({
      table: one.table, key: one.key, values: one.kind === "delete" ? null : one.after,
      whole: one.kind === "update" ? /** @type {any} */ (one).row ?? null : one.after,
    }));
  }

  /** Writes what lost a conflict again. @param {review.Conflict} entry */
  reapply(entry) {
    return this.#decide([entry], ({ table, key, mine, kind }) =>
      ({ table, key, values: mine, whole: kind === "insert" ? mine : null }));
  }

  /** Writes what the merge left out of the other side. @param {review.Conflict} entry */
  keepTheirs(entry) {
    return this.#decide([entry], (one, tables) => review.keptTheirs(tables, one));
  }

  /**
   * @template {review.RefusedChange | review.Conflict} Entry
   * @param {Entry[]} entries
   * @param {(entry: Entry, tables: import("./session.js").Session["tables"]) => review.Wish | null}
   *   wish `null` for nothing.
   */
  async #decide(entries, wish) {
    const tables = await this.#core.read(async (session) => session.tables);
    // Somebody may have decided it meanwhile, here or in another tab.
    const [first] = entries;
    if (!first || !await this.#core.read((session) => review.isListed(session, first))) return;
    try {
      await written(this.#core, async (write) => {
        for (const entry of entries) {
          const wanted = wish(entry, tables);
          if (wanted) await review.writeAgain(write, tables, wanted);
        }
      }, {
        together: entries.length > 1,
        before: async (session) => {
          if (!await review.isListed(session, first)) throw new review.Decided();
          for (const entry of entries) review.dismiss(session, entry);
        },
      });
    } catch (error) {
      if (!(error instanceof review.Decided)) throw error;
    }
  }

  // MARK: The end of the data

  /**
   * Deletes all rows, changes and lists, also what was not sent. The replica has a new id then, and
   * may get another user.
   */
  async deleteEverything() {
    const wasStarted = this.#runner.isStarted;
    await this.stop();
    try {
      await this.#empty(false);
    } catch (error) {
      if (!(error instanceof MoorageError) || error.code !== "emptied") throw error;
      // Another tab did it. What is here by now is the next user's.
      await this.#core.begin();
    }
    if (wasStarted) this.start();
  }

  /**
   * The owner of the hub ordered it. The hub goes on refusing the id, so it stays. Whatever the
   * app's function does, the rows go.
   */
  async #wipe() {
    try {
      await within(Promise.resolve(this.#willWipe?.()), SILENCE, undefined, () => misuse(
        "busy", "willWipe took longer than 120 s. The replica deletes everything now."));
    } catch (error) {
      report(error);
    }
    await this.#empty(true);
  }

  /** @param {boolean} keepsID */
  async #empty(keepsID) {
    await this.#core.exclusively.run(() => this.#core.write(async (session) => {
      const { replica, revision, emptied } = session.state;
      for (const name of COLLECTIONS) {
        if (name !== "meta") session.store.clear(name);
      }
      for (const name of ["schema", "rights", "batch"]) session.store.delete("meta", "", name);
      for (const name of session.tables.keys()) session.changedTables.add(name);
      // Other tabs compare the revision with that of their writes.
      session.state = { ...firstState(() => this.#core.newID()), revision };
      if (keepsID) session.state.replica = replica;
      // Other tabs may have a token of the former user.
      session.state.emptied = keepsID ? emptied : this.#core.newID();
      await relist(session);
    }));
    await this.#core.begin();
    await this.#runner.refresh();
  }

  /** @param {(session: import("./session.js").Session) => void} work */
  #change(work) {
    return this.#core.exclusively.run(() => this.#core.write(async (session) => {
      work(session);
      session.dirty();
    }, { source: "local" }));
  }
}
