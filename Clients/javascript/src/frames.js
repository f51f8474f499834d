// The frames of an answer (docs/reference/protocol.md, 5), and errors (9).

import {
  bool, count, integer, key, list, object, optional, required, row, small, text, tuple, unlessEmpty,
  value,
} from "./codec.js";
import { malformed } from "./errors.js";
import { checkOnce, cursor, rowName, schemaTables, suspendedTable } from "./messages.js";

const noTexts = () => /** @type {string[]} */ ([]);
const nothing = () => [];
const no = () => false;

const columnsOrAll = {
  /** @param {unknown} json @param {string} path */
  read: (json, path) => (json === true ? true : list(text).read(json, path)),
  /** @param {true | string[]} columns */
  write: (columns) => (columns === true ? "true" : list(text).write(columns)),
};

export const rights = object({
  version: required(text),
  tables: required(list(object({
    table: required(text),
    insert: optional(columnsOrAll),
    update: optional(columnsOrAll),
    delete: unlessEmpty(bool, no),
    move: unlessEmpty(bool, no),
  }))),
});

const welcome = object({
  hub: required(text),
  epoch: required(text),
  time: required(integer),
  schema: required(text),
  tables: optional(schemaTables),
  expired: unlessEmpty(bool, no),
  suspended: required(list(suspendedTable)),
  limits: required(object({
    batchRows: required(count), batchBytes: required(count), valueBytes: required(count),
  })),
  user: optional(text),
  live: optional(object({ heartbeat: required(small) })),
  keys: unlessEmpty(list(object({
    table: required(text), first: required(integer), last: required(integer),
  }, checkBlock)), nothing),
  rights: optional(rights),
  unavailable: unlessEmpty(list(text), noTexts),
  minimumClientVersion: optional(text),
  copiedAt: optional(integer),
});

/** @param {any} block @param {string} path */
function checkBlock({ first, last }, path) {
  if (!(first > 0 && first <= last)) throw malformed(path, "a block without keys");
}

const storedColumns = list(tuple(small, value));

const outcomeObject = object({
  is: optional(text),
  refused: optional(tuple(text, text)),
  stored: unlessEmpty(storedColumns, nothing),
  lost: optional(object({
    rule: optional(text), theirs: optional(storedColumns), result: optional(storedColumns),
  })),
});

const KINDS = new Set(["applied", "merged", "overruled"]);

const outcome = {
  /** @param {unknown} json @param {string} path */
  read(json, path) {
    const found = typeof json === "string"
      ? { is: json, stored: [] } : outcomeObject.read(json, path);
    if (found.refused === undefined && !KINDS.has(found.is)) {
      throw malformed(path, "an outcome that is not known");
    }
    return found;
  },
  /** @param {any} found */
  write: (found) => (found.is !== undefined && found.stored.length === 0 && found.lost === undefined
    ? text.write(found.is) : outcomeObject.write(found)),
};

const STATUSES = new Set(["applied", "alreadyApplied", "forked", "notTaken"]);

const outcomes = object({
  number: required(count), status: required(text), list: required(list(outcome)),
}, ({ status }, path) => {
  if (!STATUSES.has(status)) throw malformed(path, "a status that is not known");
});

const page = object({
  since: required(cursor),
  cursor: required(cursor),
  caughtUp: required(bool),
  expected: optional(count),
  expectedTables: unlessEmpty(
    list(object({ table: required(text), rows: required(count) })), nothing),
  removals: required(list(object({ table: required(text), keys: required(list(key)) }))),
  tables: required(list(object(
    { table: required(text), columns: required(list(text)), rows: required(list(row)) },
    checkRows))),
  withheld: required(list(object({
    row: required(rowName), column: required(text), reason: required(text),
  }))),
});

/** @param {any} content @param {string} path */
function checkRows({ columns, rows }, path) {
  checkOnce(columns, path, "a column");
  if (rows.some((/** @type {unknown[]} */ one) => one.length !== columns.length)) {
    throw malformed(path, "a row has another number of values than its table has columns");
  }
}

export const hubError = object({
  code: required(text), message: required(text), retryAfter: optional(small),
});

/** @type {Record<string, import("./codec.js").Codec<any>>} */
const FRAMES = {
  welcome,
  outcomes,
  page,
  end: object({ more: required(bool), wait: optional(small) }),
  error: hubError,
  alive: object({ time: required(integer) }),
};

/** A frame is an object with one member, whose name is the kind of frame. */
export const frame = {
  /** @param {unknown} json @param {string} path @returns {{ kind: string, content: any }} */
  read(json, path) {
    const [kind, ...more] = typeof json === "object" && json !== null ? Object.keys(json) : [];
    if (kind === undefined || more.length > 0 || !Object.hasOwn(FRAMES, kind)) {
      throw malformed(path, "a kind of frame that is not known");
    }
    return {
      kind, content: FRAMES[kind].read(/** @type {Record<string, unknown>} */ (json)[kind], kind),
    };
  },
  /** @param {{ kind: string, content: any }} one */
  write: ({ kind, content }) => `{"${kind}":${FRAMES[kind].write(content)}}`,
};
