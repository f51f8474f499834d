// Keeps a replica up to date: syncs, follows a live stream, and waits in between.

import { isAbort, MoorageError } from "./errors.js";
import { PACE, RetryPacing } from "./pacing.js";

/** The longest pause that a hub can ask for, in milliseconds. */
const LONGEST_PAUSE = 60_000;
/** A live stream only promises speed. After so many intervals it is opened again, which pulls. */
const RENEWED_AFTER = 10;
/** A stream that ends sooner counts as broken: two replicas with one id would end each other's. */
const SHORTEST = 1_000;

/**
 * @typedef {"syncing" | "live" | "waiting" | "retrying"} LoopPhase
 */

/** Something that a wait listens to. */
class Signals {
  #isWork = false;
  #isRequest = false;
  /** @type {(() => void) | null} */
  #wake = null;

  /** There are new changes to send. */
  work() {
    this.#isWork = true;
    this.#wake?.();
  }

  /** The app, or the network, asks for an exchange. */
  request() {
    this.#isRequest = true;
    this.#wake?.();
  }

  take() {
    const taken = { isWork: this.#isWork, isRequest: this.#isRequest };
    this.#isWork = false;
    this.#isRequest = false;
    return taken;
  }

  /**
   * Waits for a signal, for a time, or for the end.
   *
   * @param {number} limit In milliseconds.
   * @param {AbortSignal} ending
   */
  async wait(limit, ending) {
    if (this.#isWork || this.#isRequest || ending.aborted) return;
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(limit, 2 ** 31 - 1));
      this.#wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
      ending.addEventListener("abort", this.#wake, { once: true });
    });
    if (this.#wake) ending.removeEventListener("abort", this.#wake);
    this.#wake = null;
  }
}

export class Loop {
  #syncer;
  #pace;
  #isLive;
  #now;
  #onPhase;
  #signals = new Signals();
  #retry;
  /** When a live stream may be asked for again, after one that broke. */
  #liveRetry;
  /** @type {{ resolve: (summary: any) => void, reject: (error: unknown) => void }[]} */
  #waiters = [];

  /**
   * @param {object} parts
   * @param {import("./sync.js").Syncer} parts.syncer
   * @param {() => number} parts.now
   * @param {Partial<typeof PACE>} [parts.pace]
   * @param {boolean} [parts.isLive]
   * @param {() => number} [parts.chance]
   * @param {(phase: LoopPhase, error: MoorageError | null, nextTry: number | null,
   *   isCaughtUp: boolean) => void} parts.onPhase
   */
  constructor({ syncer, now, pace, isLive = true, chance, onPhase }) {
    this.#syncer = syncer;
    this.#pace = { ...PACE, ...pace };
    this.#isLive = isLive;
    this.#now = now;
    this.#onPhase = onPhase;
    this.#retry = new RetryPacing(this.#pace, chance);
    this.#liveRetry = new RetryPacing(this.#pace, chance);
  }

  /** New changes were committed. */
  work() { this.#signals.work(); }

  /** The network is back, or a push notification arrived. */
  wake() { this.#signals.request(); }

  /** A whole sync by the running loop. */
  sync() {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#signals.request();
    });
  }

  /**
   * Runs until it is ended.
   *
   * @param {AbortSignal} ending
   * @throws {MoorageError} One after which only the app can go on.
   */
  async run(ending) {
    try {
      while (!ending.aborted) await this.#turn(ending);
    } finally {
      const error = new MoorageError(
        "unreachable", "The replica was stopped before the sync ended. No change is lost.");
      for (const { reject } of this.#waiters.splice(0)) reject(error);
    }
  }

  /** One sync and what follows it. @param {AbortSignal} ending */
  async #turn(ending) {
    const waiters = this.#waiters.splice(0);
    try {
      this.#signals.take();
      this.#onPhase("syncing", null, null, false);
      const summary = await this.#syncer.sync(ending);
      this.#retry.succeeded();
      for (const { resolve } of waiters.splice(0)) resolve(summary);
      await this.#rest(ending, summary.isCaughtUp);
    } catch (error) {
      for (const { reject } of waiters) reject(error);
      if (isAbort(error) && ending.aborted) return;
      const failure = error instanceof MoorageError ? error : new MoorageError(
        "internalError", "The replica failed. What was committed is safe. Report this as a defect.",
        { cause: error });
      if (failure.isFinal) throw failure;
      this.#retry.failed(failure, this.#now());
      await this.#pause(failure, ending);
    }
  }

  /** Waits until the next try. @param {MoorageError} error @param {AbortSignal} ending */
  async #pause(error, ending) {
    for (;;) {
      // A sync that the app asks for is tried at once.
      if (this.#waiters.length > 0) return;
      const left = this.#retry.left(this.#now());
      if (left <= 0 || ending.aborted) return;
      this.#onPhase("retrying", error, this.#retry.nextTry, false);
      await this.#signals.wait(left, ending);
      const { isWork, isRequest } = this.#signals.take();
      if (isRequest) this.#retry.woken(false);
      else if (isWork) this.#retry.woken(true);
    }
  }

  /**
   * After a sync: a live stream, or a wait.
   *
   * @param {AbortSignal} ending
   * @param {boolean} isCaughtUp
   */
  async #rest(ending, isCaughtUp) {
    const mayFollow = () => this.#isLive && this.#liveRetry.left(this.#now()) <= 0;
    while (!ending.aborted && mayFollow() && this.#waiters.length === 0) {
      if (!await this.#follow(ending)) return;
    }
    if (ending.aborted || this.#waiters.length > 0) return;
    const liveIn = this.#isLive ? this.#liveRetry.left(this.#now()) : Infinity;
    this.#onPhase("waiting", null, null, isCaughtUp);
    await this.#signals.wait(
      Math.min(this.#pace.pullInterval, liveIn > 0 ? liveIn : Infinity), ending);
    await this.#gather(ending);
  }

  /** Lets changes that follow each other go up together. @param {AbortSignal} ending */
  async #gather(ending) {
    if (this.#waiters.length > 0 || ending.aborted) return;
    await delay(this.#pace.pushDelay);
  }

  /**
   * Follows one live stream.
   *
   * @param {AbortSignal} ending
   * @returns {Promise<boolean>} Whether the next stream can follow without a whole sync.
   */
  async #follow(ending) {
    const stop = new AbortController();
    const end = () => stop.abort();
    ending.addEventListener("abort", end, { once: true });
    const began = this.#now();
    /** @type {Promise<void>} */
    let watching = Promise.resolve();
    try {
      const following = this.#syncer.follow(stop.signal, ({ hasMore, isCaughtUp }) => {
        this.#liveRetry.succeeded();
        this.#onPhase("live", null, null, isCaughtUp);
        if (hasMore) this.#signals.work();
        watching = this.#watch(stop);
      });
      const { isDone, wait, wasOpen } = await following;
      end();
      await watching;
      if (wait !== undefined) await this.#signals.wait(Math.min(wait, LONGEST_PAUSE), ending);
      // The hub does not grant a stream now, or ends each at once: pull by interval.
      const isBroken = wasOpen ? wait === undefined && this.#now() - began < SHORTEST : isDone;
      if (isBroken) this.#liveRetry.failed(BROKEN, this.#now());
      return false;
    } catch (error) {
      if (isAbort(error) && stop.signal.aborted) return this.#waiters.length === 0;
      this.#liveRetry.failed(BROKEN, this.#now());
      throw error;
    } finally {
      ending.removeEventListener("abort", end);
      end();
      await watching;
    }
  }

  /** Breaks an open stream off when something else is to be done. @param {AbortController} stop */
  async #watch(stop) {
    const opened = this.#now();
    await this.#signals.wait(RENEWED_AFTER * this.#pace.pullInterval, stop.signal);
    if (stop.signal.aborted) return;
    const { isRequest } = this.#signals.take();
    // The first change after a pause goes up at once, those that follow go together.
    const pause = opened + this.#pace.pushDelay - this.#now();
    if (!isRequest && pause > 0) await delay(pause);
    stop.abort();
  }
}

/** @param {number} time In milliseconds. */
function delay(time) { return new Promise((resolve) => { setTimeout(resolve, time); }); }

const BROKEN = new MoorageError("unreachable", "The live stream broke.");
