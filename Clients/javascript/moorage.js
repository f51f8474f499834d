// The client library of Moorage for browsers and Node.
// One import loads all of it: import { openReplica } from "./moorage.js"

export { MoorageError } from "./src/errors.js";
export { openReplica, Replica } from "./src/replica.js";
export { IndexedDBStore } from "./src/store-indexeddb.js";
export { MemoryStore } from "./src/store-memory.js";
