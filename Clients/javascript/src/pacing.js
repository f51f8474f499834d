// When a replica tries again after a failure, and what lets it try sooner
// (docs/reference/client.md, After a failure). No timers.

/**
 * | option                | meaning, in milliseconds                                        |
 * |-----------------------|------------------------------------------------------------------|
 * | `pushDelay`           | changes that follow each other within it go up together         |
 * | `pullInterval`        | how often to pull where no live stream is open                  |
 * | `firstRetryDelay`     | the pause after the first failure, and the least between tries  |
 * | `maximumRetryDelay`   | the longest pause after failures                                |
 * | `updateInterval`      | how often to try while the hub wants a newer version of the app |
 * | `tabInterval`         | how often to look for commits that other tabs did not tell of   |
 */
export const PACE = {
  pushDelay: 200, pullInterval: 30_000, firstRetryDelay: 1_000, maximumRetryDelay: 300_000,
  updateInterval: 3_600_000, tabInterval: 2_000,
};

export class RetryPacing {
  #pace;
  #chance;
  #failures = 0;
  #failedAt = 0;
  /** How long the hub asked to be left alone, counted from the failure. */
  #leftAlone = 0;
  #isWoken = false;
  /** Tries in a row that a commit began and that failed. */
  #vainCommits = 0;

  /** When the next try is due; `null` while nothing failed. @type {number | null} */
  nextTry = null;
  /** Whether the hub wants a newer version of the app. */
  needsUpdate = false;

  /** @param {typeof PACE} pace @param {() => number} [chance] From 0 to 1. */
  constructor(pace, chance = Math.random) {
    this.#pace = pace;
    this.#chance = chance;
  }

  succeeded() {
    this.#failures = 0;
    this.#vainCommits = 0;
    this.#isWoken = false;
    this.nextTry = null;
    this.needsUpdate = false;
  }

  /** So that many devices do not return at once. */
  get #jitter() { return 0.8 + 0.4 * this.#chance(); }

  /** @param {import("./errors.js").MoorageError} error @param {number} now */
  failed(error, now) {
    const { firstRetryDelay, maximumRetryDelay, pullInterval, updateInterval } = this.#pace;
    if (this.#isWoken) this.#vainCommits += 1;
    if (!this.#isWoken || this.#failures === 0) this.#failures += 1;
    const doubled = firstRetryDelay * 2 ** Math.min(this.#failures - 1, 30);
    const delay = Math.min(doubled, maximumRetryDelay) * this.#jitter;
    this.#leftAlone = error.recovery === "retry" ? error.retryAfter ?? 0 : 0;
    // Another try alone changes nothing here, but somebody may fix the cause meanwhile.
    let least = error.recovery === "retry" ? this.#leftAlone : pullInterval;
    this.needsUpdate = error.code === "clientTooOld";
    if (this.needsUpdate) least = Math.max(pullInterval, updateInterval) * this.#jitter;
    this.#isWoken = false;
    this.#failedAt = now;
    this.nextTry = now + Math.max(delay, least);
  }

  /** How long to wait still. A clock that was set back does not make that longer. */
  left(/** @type {number} */ now) {
    if (this.nextTry === null) return 0;
    return Math.min(this.nextTry - this.#failedAt, Math.max(0, this.nextTry - now));
  }

  /** Something makes another try worthwhile. @param {boolean} isCommit */
  woken(isCommit) {
    if (this.nextTry === null || this.needsUpdate) return;
    const { firstRetryDelay, pullInterval } = this.#pace;
    let least = firstRetryDelay;
    if (isCommit) {
      const most = Math.max(pullInterval, firstRetryDelay);
      least = Math.min(firstRetryDelay * 2 ** Math.min(this.#vainCommits, 30), most);
    }
    const earliest = this.#failedAt + Math.max(least, this.#leftAlone);
    if (earliest >= this.nextTry) return;
    this.nextTry = earliest;
    this.#isWoken ||= isCommit;
  }
}
