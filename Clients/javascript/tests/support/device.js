// A replica of a scripted hub, for tests.

import { MemoryStore, openReplica } from "../../moorage.js";

/** @param {import("./scripted-hub.js").ScriptedHub} hub */
export function device(hub, { environment, ...options } = {}) {
  return openReplica({
    name: "device", url: "http://localhost:1", token: () => "a-secret-of-the-tests",
    tables: Object.fromEntries(hub.tables.map(({ name, columns, key }) => [
      name, { key: key.map((place) => columns[place].name) },
    ])),
    store: new MemoryStore(), ...options,
    environment: { fetch: hub.fetch, ...environment },
  });
}

/** The same content in another store, as a backup has it. */
export function copyOf(store) {
  const copied = new MemoryStore();
  for (const [name, { parts }] of store.collections) {
    const target = copied.collections.get(name);
    for (const [first, part] of parts) {
      for (const [second, value] of part) target.part(first).set(second, structuredClone(value));
    }
  }
  return copied;
}

// Those of the system, also where a test has timers of its own.
const { setTimeout: later } = globalThis;

/** Waits until something is true. One that reaches the limit hangs. */
export async function eventually(condition, limit = 120_000) {
  const end = Date.now() + limit;
  for (;;) {
    if (await condition()) return;
    if (Date.now() > end) throw new Error(`not within ${limit} ms: ${condition}`);
    await new Promise((resolve) => { later(resolve, 5); });
  }
}

/** Lets everything go on that waits for no timer. */
export async function turns(count = 50) {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => { setImmediate(resolve); });
  }
}
