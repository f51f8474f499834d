// Several tabs with one store: one of them leads, and they tell each other what changed. The leader
// is chosen by a Web Lock, or by a lease in the store where the browser has no locks.

/** @typedef {import("./store.js").Store} Store */

/** How long a lease lasts without being renewed, in milliseconds. */
const LEASE = 10_000;
const RENEWAL = 3_000;
/** How often another tab looks whether the lease is over. */
const LOOK = 1_000;

/** @param {number} time @param {AbortSignal} signal */
function pause(time, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, time);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve(undefined);
    }
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}

/**
 * @typedef {object} TabsEnvironment
 * @property {LockManager} [locks]
 * @property {typeof BroadcastChannel} [BroadcastChannel]
 */

export class Tabs {
  #name;
  #store;
  #tab;
  #locks;
  #now;
  /** How many works of this tab have the lease. */
  #leases = 0;
  /** @type {BroadcastChannel | null} */
  #channel = null;

  /**
   * @param {object} parts
   * @param {Store} parts.store
   * @param {string} parts.tab A random id.
   * @param {() => number} parts.now
   * @param {TabsEnvironment} parts.environment
   * @param {(message: any) => void} parts.onMessage
   */
  constructor({ store, tab, now, environment, onMessage }) {
    this.#name = store.sharedAs;
    this.#store = store;
    this.#tab = tab;
    this.#locks = environment.locks;
    this.#now = now;
    if (this.#name !== null && environment.BroadcastChannel) {
      this.#channel = new environment.BroadcastChannel(this.#name);
      this.#channel.onmessage = ({ data }) => onMessage(data);
    }
  }

  /** Tells the other tabs. @param {object} message */
  post(message) { this.#channel?.postMessage(message); }

  close() {
    this.#channel?.close();
    this.#channel = null;
  }

  /**
   * Waits until this tab leads, and works as the leader.
   *
   * @template T
   * @param {AbortSignal} signal Ends the wait, and the work.
   * @param {(signal: AbortSignal) => Promise<T>} work Its signal also ends when another tab leads.
   * @returns {Promise<T>}
   */
  async lead(signal, work) {
    if (this.#name === null) return work(signal);
    if (!this.#locks) return this.#leadByLease(signal, work);
    return this.#locks.request(this.#name, { signal }, () => work(signal));
  }

  /**
   * Works as the leader, if no other tab leads.
   *
   * @template T
   * @param {AbortSignal} signal
   * @param {(signal: AbortSignal) => Promise<T>} work
   * @returns {Promise<{ value: T } | null>} `null` where another tab leads.
   */
  async tryLead(signal, work) {
    if (this.#name === null) return { value: await work(signal) };
    if (!this.#locks) {
      return await this.#beginLease()
        ? { value: await this.#withLease(signal, work) } : null;
    }
    return this.#locks.request(this.#name, { ifAvailable: true },
      async (lock) => (lock ? { value: await work(signal) } : null));
  }

  // MARK: The lease

  /** @template T @param {AbortSignal} signal @param {(signal: AbortSignal) => Promise<T>} work */
  async #leadByLease(signal, work) {
    for (;;) {
      signal.throwIfAborted();
      if (await this.#beginLease()) return this.#withLease(signal, work);
      await pause(LOOK, signal);
    }
  }

  /**
   * @param {() => void} [onTaken] Called within the transaction.
   * @returns {Promise<boolean>} Whether this tab has the lease now.
   */
  #takeLease(onTaken) {
    return this.#store.write(async (transaction) => {
      const lease = await transaction.get("meta", "", "lease");
      const now = this.#now();
      // A lease far in the future is of a clock that was set back since.
      const isTaken = lease && lease.tab !== this.#tab && lease.until > now
        && lease.until <= now + LEASE;
      if (isTaken) return false;
      transaction.put("meta", "", "lease", { tab: this.#tab, until: now + LEASE });
      onTaken?.();
      return true;
    });
  }

  /**
   * Takes the lease for one work. A work of the same tab that ends meanwhile leaves it there.
   *
   * @returns {Promise<boolean>}
   */
  async #beginLease() {
    let isCounted = false;
    try {
      return await this.#takeLease(() => {
        if (!isCounted) this.#leases += 1;
        isCounted = true;
      });
    } catch (error) {
      if (isCounted) this.#leases -= 1;
      throw error;
    }
  }

  /** @template T @param {AbortSignal} signal @param {(signal: AbortSignal) => Promise<T>} work */
  async #withLease(signal, work) {
    const ending = new AbortController();
    const end = () => ending.abort(signal.reason);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    const renewal = setInterval(async () => {
      // A tab that was frozen for longer than the lease finds that another one leads.
      if (!await this.#takeLease().catch(() => true)) ending.abort();
    }, RENEWAL);
    try {
      return await work(ending.signal);
    } finally {
      clearInterval(renewal);
      signal.removeEventListener("abort", end);
      this.#leases -= 1;
      await this.#endLease().catch(() => {});
    }
  }

  #endLease() {
    return this.#store.write(async (transaction) => {
      const lease = await transaction.get("meta", "", "lease");
      if (this.#leases === 0 && lease?.tab === this.#tab) transaction.delete("meta", "", "lease");
    });
  }
}
