import { aborted } from "./errors.js";

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

  /**
   * The same for work that need not begin any more when a signal ends.
   *
   * @template T
   * @param {() => Promise<T>} work
   * @param {AbortSignal} [signal]
   * @returns {Promise<T>}
   */
  runUnless(work, signal) {
    return new Promise((resolve, reject) => {
      const end = () => reject(aborted());
      signal?.addEventListener("abort", end);
      if (signal?.aborted) end();
      this.run(async () => {
        signal?.removeEventListener("abort", end);
        if (signal?.aborted) throw aborted();
        return work();
      }).then(resolve, reject);
    });
  }
}
