// Finds commits of other tabs that this tab did not hear of: a tab may end between its commit and
// its message. Each commit has the store's next revision, so one that is missing shows.

export class MissedCommits {
  #readRevision;
  #onMissed;
  /** Every revision up to this one is known. */
  #known = 0;
  /** Known revisions above it: messages of several tabs come in any order. @type {Set<number>} */
  #ahead = new Set();
  /** What the store had at the last look. */
  #stored = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  /**
   * @param {object} parts
   * @param {() => Promise<number>} parts.readRevision The store's revision now.
   * @param {() => void} parts.onMissed
   */
  constructor({ readRevision, onMissed }) {
    this.#readRevision = readRevision;
    this.#onMissed = onMissed;
  }

  /** @param {number} interval How often to look, in milliseconds. */
  async open(interval) {
    this.#known = await this.#readRevision();
    this.#stored = this.#known;
    for (const revision of this.#ahead) this.heard(revision);
    this.#timer = setInterval(() => { this.look(); }, interval);
    // In Node, a process may end meanwhile.
    /** @type {any} */ (this.#timer).unref?.();
  }

  close() { clearInterval(this.#timer); }

  /** This tab made the commit, or heard of it. @param {number} revision */
  heard(revision) {
    this.#ahead.add(revision);
    while (this.#ahead.delete(this.#known + 1)) this.#known += 1;
    for (const one of this.#ahead) if (one <= this.#known) this.#ahead.delete(one);
  }

  /** Compares with the store. The message of a new commit may still be on its way. */
  async look() {
    let now;
    try {
      now = await this.#readRevision();
    } catch {
      // The store is closed, or has another list of tables: whoever reads it hears of that.
      return;
    }
    const isMissed = this.#known < this.#stored;
    this.#stored = now;
    if (!isMissed) return;
    this.#known = now;
    this.#ahead.clear();
    this.#onMissed();
  }
}
