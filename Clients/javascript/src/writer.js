// Runs the app's writes, one after the other.

import { misuse, MoorageError } from "./errors.js";
import { Overtaken, WriteTransaction } from "./write.js";

/** How long one write may take, in milliseconds. Other writes and pages wait for it. */
const LIMIT = 30_000;
/** How often a write begins again because another tab wrote meanwhile. */
const MAXIMUM_TRIES = 10;

/**
 * @template T
 * @param {import("./session.js").Core} core
 * @param {(transaction: WriteTransaction) => Promise<T> | T} body
 * @param {{ together?: boolean, limit?: number,
 *   before?: (session: import("./session.js").Session) => Promise<void> | void }} [options]
 *   `before` runs in the transaction that stores the write.
 * @returns {Promise<T>}
 */
export function written(core, body, { together = false, limit = LIMIT, before } = {}) {
  return core.exclusively.run(async () => {
    for (let tries = 0; tries < MAXIMUM_TRIES; tries += 1) {
      const write = await core.read(async (session) =>
        new WriteTransaction(session, await session.rights(), together));
      let result;
      try {
        result = await within(body(write), limit);
      } finally {
        write.end();
      }
      if (write.isEmpty && !before) return result;
      try {
        await core.write(async (session) => {
          await before?.(session);
          if (!write.isEmpty) await write.store(session);
        }, { source: "local" });
        return result;
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
      }
    }
    throw new MoorageError(
      "busy", "Other tabs write all the time. Nothing of this write was stored. Try again.");
  });
}

/** @template T @param {Promise<T> | T} promise @param {number} limit @returns {Promise<T>} */
async function within(promise, limit) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(misuse(
      "busy", `A write took longer than ${limit / 1_000} s. Nothing of it was stored. Within a `
        + "write, use the transaction that it gets, and wait for nothing else.")), limit);
  });
  try {
    return await Promise.race([promise, /** @type {Promise<never>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}
