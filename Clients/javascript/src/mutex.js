/** Runs one piece of work at a time, in the order of the calls. */
export class Mutex {
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  run(work) {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}
