// Integer keys that the hub handed out to this replica alone.

import { misuse } from "./errors.js";

/** @typedef {import("./session.js").State} State */

/** @param {number | bigint} number */
function following(number) {
  return typeof number === "number" && number < Number.MAX_SAFE_INTEGER
    ? number + 1 : BigInt(number) + 1n;
}

/** The next key of a table. @param {State} state @param {string} name */
export function takeKey(state, name) {
  const [block, ...more] = state.keys[name] ?? [];
  if (!block) {
    throw misuse(
      "noKeysLeft",
      `No keys of ${name} are left. Sync once; the table needs a keyBlock at the hub.`);
  }
  state.keys[name] = block.next < block.last
    ? [{ ...block, next: following(block.next) }, ...more] : more;
  return block.next;
}

/** @param {State} state @param {any[]} blocks Those of a welcome. */
export function addKeys(state, blocks) {
  for (const { table, first, last } of blocks) {
    state.keys[table] = [...state.keys[table] ?? [], { next: first, last }];
  }
}

/** How many keys of a table are left. @param {State} state @param {string} name */
export function keysLeft(state, name) {
  return (state.keys[name] ?? []).reduce(
    (sum, { next, last }) => sum + Number(BigInt(last) - BigInt(next)) + 1, 0);
}
