// A store in a file, for devices in processes of their own that end at any moment. Each commit is a
// line; a line that was cut was not committed.

import { appendFileSync, closeSync, fdatasyncSync, openSync, readFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { MemoryStore } from "../../moorage.js";

/** Records what a transaction writes. */
class Journal {
  changes = [];

  constructor(transaction) { this.transaction = transaction; }

  get(...place) { return this.transaction.get(...place); }

  list(...place) { return this.transaction.list(...place); }

  each(...place) { return this.transaction.each(...place); }

  count(...place) { return this.transaction.count(...place); }

  put(...place) { this.#change("put", place); }

  delete(...place) { this.#change("delete", place); }

  clear(...place) { this.#change("clear", place); }

  #change(kind, place) {
    this.transaction[kind](...place);
    this.changes.push([kind, place]);
  }
}

export class FileStore extends MemoryStore {
  #path;
  #file = null;

  /** @param {string} path */
  constructor(path) {
    super();
    this.#path = path;
  }

  async open() {
    await super.open();
    if (this.#file !== null) return;
    this.#file = openSync(this.#path, "a+");
    const lines = readFileSync(this.#path, "latin1").split("\n");
    // What follows the last line break was cut, and the next line must not be part of it.
    if (lines.pop() !== "") appendFileSync(this.#file, "\n");
    await super.write(async (transaction) => {
      for (const line of lines) {
        for (const [kind, place] of parsed(line)) transaction[kind](...place);
      }
    });
  }

  write(work, isDurable = false) {
    return super.write(async (transaction) => {
      const journal = new Journal(transaction);
      const result = await work(journal);
      if (journal.changes.length > 0) {
        const line = serialize(journal.changes).toString("base64");
        appendFileSync(this.#file, `${line.length} ${line}\n`);
        if (isDurable) fdatasyncSync(this.#file);
      }
      return result;
    });
  }

  close() {
    super.close();
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}

/** The changes of a line; none of one that was cut. */
function parsed(line) {
  const [length, text = ""] = line.split(" ");
  return Number(length) === text.length && text !== ""
    ? deserialize(Buffer.from(text, "base64")) : [];
}
