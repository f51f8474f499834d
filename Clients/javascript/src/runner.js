// Runs a replica's exchanges: the leading tab's loop, one sync on demand, and what the tabs tell
// each other.

import { emptied, isAbort, MoorageError } from "./errors.js";
import { Loop } from "./loop.js";
import { MissedCommits } from "./missed.js";
import { Mutex } from "./mutex.js";
import { PACE } from "./pacing.js";
import { firstStatus, phaseAfter, storedStatus } from "./status.js";
import { Tabs } from "./tabs.js";

/** @typedef {import("./status.js").Status} Status */
/** @typedef {import("./session.js").Commit} Commit */
/** @typedef {import("./sync.js").SyncSummary} SyncSummary */

export class Runner {
  #core;
  #syncer;
  #reporter;
  #environment;
  #isLive;
  #onStatus;
  #onCommit;
  #onWipe;
  #tabs;
  /** @type {MissedCommits | null} Only where other tabs may write. */
  #missed;
  /** @type {AbortController | null} Ends the loop. */
  #ending = null;
  #running = Promise.resolve();
  /** @type {Loop | null} While this tab leads. */
  #loop = null;
  /** Whether the last exchange brought all that the hub had. */
  #hasPulled = false;
  /** @type {Map<string, { resolve: (value: any) => void, reject: (error: unknown) => void }>} */
  #asked = new Map();

  status = firstStatus();

  /**
   * @param {object} parts
   * @param {import("./session.js").Core} parts.core
   * @param {import("./sync.js").Syncer} parts.syncer
   * @param {import("./report.js").Reporter} parts.reporter
   * @param {import("./replica.js").Environment} parts.environment
   * @param {boolean} parts.isLive
   * @param {() => void} parts.onStatus
   * @param {(commit: Omit<Commit, "revision">) => void} parts.onCommit
   * @param {() => Promise<void>} parts.onWipe Deletes everything.
   */
  constructor({ core, syncer, reporter, environment, isLive, onStatus, onCommit, onWipe }) {
    this.#core = core;
    this.#syncer = syncer;
    this.#reporter = reporter;
    this.#environment = environment;
    this.#isLive = isLive;
    this.#onStatus = onStatus;
    this.#onCommit = onCommit;
    this.#onWipe = onWipe;
    this.#tabs = new Tabs({
      store: core.store, tab: core.newID(), now: core.now, environment,
      onMessage: (message) => this.#received(message),
    });
    this.#missed = core.store.sharedAs === null ? null : new MissedCommits({
      readRevision: () => core.read(async ({ state }) => state.revision),
      onMissed: () => this.#missedCommits(),
    });
    core.onCommit((commit) => {
      this.#tabs.post({ kind: "changed", commit });
      this.#committed(commit);
    });
  }

  /** Begins to listen. */
  async open() {
    this.#environment.events?.addEventListener("online", this.wake);
    this.#tabs.post({ kind: "hello" });
    await this.#missed?.open(this.#environment.pace?.tabInterval ?? PACE.tabInterval);
    await this.refresh();
  }

  close() {
    this.#missed?.close();
    this.#environment.events?.removeEventListener("online", this.wake);
    this.#tabs.close();
  }

  /** The network is back, or something else makes an exchange worthwhile. */
  wake = () => {
    this.#loop?.wake();
    if (!this.#loop) this.#tabs.post({ kind: "wake" });
  };

  // MARK: Running

  get isStarted() { return this.#ending !== null && !this.#ending.signal.aborted; }

  start() {
    if (this.isStarted) return;
    const ending = new AbortController();
    this.#ending = ending;
    this.#show({ phase: "starting", error: null });
    // A run that is being stopped ends first.
    this.#running = this.#running.then(() => this.#run(ending));
  }

  async stop() {
    this.#ending?.abort();
    await this.#running;
    if (this.isStarted) return;
    this.#show({ phase: "stopped", isLeader: false, nextTry: null });
  }

  /** @param {AbortController} ending */
  async #run(ending) {
    try {
      if (!ending.signal.aborted) await this.#core.begin();
      // If the lease goes to another tab, this one goes on as a follower.
      while (!ending.signal.aborted) {
        await this.#tabs.lead(ending.signal, (signal) => this.#lead(signal));
      }
      if (ending.signal.reason instanceof MoorageError) throw ending.signal.reason;
    } catch (error) {
      if (!isAbort(error)) await this.#ended(asMoorageError(error));
    } finally {
      this.#loop = null;
      if (this.#ending === ending) this.#ending = null;
    }
  }

  /** @param {AbortSignal} signal */
  async #lead(signal) {
    const { now, pace, chance } = this.#environment;
    const loop = new Loop({
      syncer: this.#syncer, now: now ?? Date.now, pace, chance, isLive: this.#isLive,
      onPhase: (...reached) => this.#reached(...reached),
    });
    this.#loop = loop;
    this.#show({ isLeader: true });
    try {
      await loop.run(signal);
    } finally {
      this.#loop = null;
      this.#show({ isLeader: false });
    }
  }

  /**
   * One whole sync, by the tab that leads.
   *
   * @param {AbortSignal} [signal]
   * @returns {Promise<SyncSummary>}
   */
  async sync(signal) {
    signal?.throwIfAborted();
    if (this.#loop) return abortable(this.#loop.sync(), signal);
    const ending = new AbortController();
    const end = () => ending.abort();
    signal?.addEventListener("abort", end);
    // Meanwhile the loop may have begun here.
    const work = (/** @type {AbortSignal} */ leading) =>
      (this.#loop ? abortable(this.#loop.sync(), leading) : this.#syncOnce(leading));
    try {
      const mine = await this.#tabs.tryLead(ending.signal, work);
      if (mine) return mine.value;
      // Another tab leads: it syncs, or this one does once that tab is gone.
      const own = this.#tabs.lead(ending.signal, work);
      own.catch(() => {});
      return await Promise.race([this.#askLeader(ending.signal), own]);
    } catch (error) {
      throw isAbort(error) && signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener("abort", end);
      ending.abort();
    }
  }

  /** @param {AbortSignal} signal @returns {Promise<SyncSummary>} */
  async #syncOnce(signal) {
    const { phase } = this.status;
    this.#show({ phase: "syncing" });
    try {
      const summary = await this.#syncer.sync(signal);
      this.#reporter.lastError = undefined;
      this.#hasPulled = summary.isCaughtUp;
      await this.refresh({ phase, error: null });
      return summary;
    } catch (error) {
      if (isAbort(error)) {
        this.#show({ phase });
        throw error;
      }
      const failure = asMoorageError(error);
      await this.#ended(failure, phase);
      throw failure;
    }
  }

  /**
   * @param {MoorageError} error
   * @param {import("./status.js").Phase} [phase]
   */
  async #ended(error, phase) {
    this.#hasPulled = false;
    this.#reporter.lastError = error.code;
    let shown = error;
    if (error.code === "replicaWiped") {
      // The hub repeats the order.
      await this.#onWipe().catch((failure) => { shown = asMoorageError(failure); });
    }
    await this.refresh({ phase: phase ?? phaseAfter(shown), error: shown, nextTry: null });
  }

  /**
   * @param {import("./loop.js").LoopPhase} phase
   * @param {MoorageError | null} error
   * @param {number | null} nextTry
   * @param {boolean} isCaughtUp
   */
  #reached(phase, error, nextTry, isCaughtUp) {
    this.#reporter.lastError = error?.code;
    if (phase !== "syncing") this.#hasPulled = isCaughtUp;
    // A failure stays visible until an exchange has succeeded.
    const shown = phase === "syncing" ? {} : { error };
    this.refresh({
      ...shown, nextTry, phase: phase === "retrying" && error ? phaseAfter(error) : phase,
    });
  }

  // MARK: Status

  /** @param {Partial<Status>} changes */
  #show(changes) {
    const next = { ...this.status, ...changes };
    if (Object.entries(next).every(
      ([name, value]) => isSame(value, /** @type {any} */ (this.status)[name]))) return;
    this.status = next;
    this.#onStatus();
    if (this.status.isLeader) this.#tellStatus();
  }

  /** Reads the counts again. @param {Partial<Status>} [changes] */
  refresh(changes = {}) { return this.#refreshing.run(() => this.#refresh(changes)); }

  /** One after the other, so that no older counts come last. */
  #refreshing = new Mutex();

  /** @param {Partial<Status>} changes */
  async #refresh(changes) {
    let stored;
    try {
      stored = await this.#core.read(storedStatus);
    } catch (error) {
      // The store is closed, or another tab has another list of tables.
      this.#show({ ...changes, error: asMoorageError(error) });
      return;
    }
    const { hasPulled, isEmptied, ...counts } = stored;
    if (isEmptied) this.#ending?.abort(emptied());
    const isCaughtUp = this.#hasPulled && hasPulled && counts.pending === 0;
    this.#show({ ...counts, isCaughtUp, ...changes });
  }

  #tellStatus() {
    const { phase, error, nextTry } = this.status;
    this.#tabs.post({
      kind: "status", phase, nextTry, hasPulled: this.#hasPulled,
      error: error && { code: error.code, message: error.message, recovery: error.recovery },
    });
  }

  // MARK: Tabs

  /** A tab ended before it told what it committed: anything may have changed. */
  async #missedCommits() {
    const tables = await this.#core.read(async (session) => [...session.tables.keys()])
      .catch(() => /** @type {string[]} */ ([]));
    this.#changed({ tables, source: "hub", isWork: true });
  }

  /** @param {Commit} commit */
  #committed(commit) {
    this.#missed?.heard(commit.revision);
    this.#changed(commit);
  }

  /** @param {Omit<Commit, "revision">} commit */
  #changed(commit) {
    if (commit.isWork) this.#loop?.work();
    this.#onCommit(commit);
    this.refresh();
  }

  /** @param {any} message */
  #received(message) {
    switch (message.kind) {
      case "changed": return this.#committed(message.commit);
      case "wake": return this.#loop?.wake();
      case "hello": return this.status.isLeader ? this.#tellStatus() : undefined;
      case "status": return this.#followed(message);
      case "sync": return this.#syncFor(message.id);
      case "synced": {
        const asked = this.#asked.get(message.id);
        if (message.error) asked?.reject(errorOf(message.error));
        else asked?.resolve(message.summary);
        return undefined;
      }
      default: return undefined;
    }
  }

  /** The leader's state is that of all tabs. @param {any} message */
  #followed({ phase, nextTry, hasPulled, error }) {
    if (this.#loop) return;
    this.#hasPulled = hasPulled;
    this.refresh({ phase, nextTry, error: error && errorOf(error), isLeader: false });
  }

  /** @param {string} id */
  async #syncFor(id) {
    if (!this.#loop) return;
    try {
      this.#tabs.post({ kind: "synced", id, summary: await this.#loop.sync() });
    } catch (error) {
      const { code, message, recovery } = asMoorageError(error);
      this.#tabs.post({ kind: "synced", id, error: { code, message, recovery } });
    }
  }

  /** @param {AbortSignal} signal @returns {Promise<SyncSummary>} */
  #askLeader(signal) {
    const id = this.#core.newID();
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      signal.addEventListener("abort", () => {
        this.#asked.delete(id);
        reject(signal.reason);
      });
      this.#tabs.post({ kind: "sync", id });
    });
  }
}

/** @param {{ code: string, message: string, recovery: import("./errors.js").Recovery }} told */
function errorOf({ code, message, recovery }) {
  return new MoorageError(code, message, { recovery });
}

/** @param {unknown} error */
export function asMoorageError(error) {
  return error instanceof MoorageError ? error : new MoorageError(
    "internalError", "The replica failed. What was committed is safe. Report this as a defect.",
    { cause: error });
}

/** @param {unknown} left @param {unknown} right */
function isSame(left, right) {
  return left === right || (!(left instanceof Error) && !(right instanceof Error)
    && JSON.stringify(left) === JSON.stringify(right));
}

/** @template T @param {Promise<T>} promise @param {AbortSignal} [signal] @returns {Promise<T>} */
function abortable(promise, signal) {
  if (!signal) return promise;
  return Promise.race([promise, new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  })]);
}
