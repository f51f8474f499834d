// The requests, cursors and schemas of docs/reference/protocol.md, in the order of that page.

import {
  bool, count, decode, integer, key, list, object, optional, required, row, small, text, texts,
  textSet, tuple, unlessEmpty, value,
} from "./codec.js";
import { malformed } from "./errors.js";
import { compareTexts } from "./json.js";
import { columnType } from "./values.js";

/** The version of the protocol. */
export const PROTOCOL = 3;

const noTexts = () => /** @type {string[]} */ ([]);
const nothing = () => [];
const no = () => false;

// MARK: 2.2 Keys, rows and tables

/** @param {string[]} names @param {string} path @param {string} what */
export function checkOnce(names, path, what) {
  if (new Set(names).size !== names.length) throw malformed(path, `${what} twice`);
}

export const tableColumns = object(
  { name: required(text), columns: required(list(text)) },
  (table, path) => checkOnce(table.columns, path, "a column"));

const tableList = {
  /** @param {unknown} json @param {string} path */
  read(json, path) {
    const tables = list(tableColumns).read(json, path);
    checkOnce(tables.map((table) => table.name), path, "a table");
    return tables;
  },
  write: list(tableColumns).write,
};

export const rowName = object({ table: required(text), key: required(key) });

// MARK: 4.1 The batch

const edit = tuple(small, value, value);

const change = object({
  table: required(small),
  key: required(key),
  at: required(integer),
  again: unlessEmpty(bool, no),
  group: optional(small),
  insert: optional(row),
  update: optional(list(edit)),
  fills: unlessEmpty(list(small), nothing),
  delete: optional(row),
  refetch: unlessEmpty(bool, no),
}, checkChange);

/** @param {any} content @param {string} path */
function checkChange({ insert, update, delete: deleted, refetch, fills }, path) {
  const asked = [insert, update, deleted].filter((one) => one !== undefined).length;
  if (asked + (refetch ? 1 : 0) !== 1) {
    throw malformed(path, "exactly one of insert, update, delete and refetch");
  }
  if (update === undefined && fills.length > 0) throw malformed(path, "fills without an update");
  const columns = (update ?? []).map((/** @type {any[]} */ [column]) => column);
  checkOnce(columns, path, "a column");
  if (fills.some((/** @type {number} */ column) => !columns.includes(column))) {
    throw malformed(path, "a fill of a column that the update does not name");
  }
}

export const batch = object({
  number: required(count),
  nonce: required(text),
  preparedAt: required(integer),
  tables: required(tableList),
  changes: required(list(change)),
}, checkBatch);

/** @param {any} content @param {string} path */
function checkBatch({ tables, changes }, path) {
  changes.forEach((/** @type {any} */ one, /** @type {number} */ index) => {
    const place = `${path}.changes[${index}]`;
    const columns = tables[one.table]?.columns;
    if (columns === undefined) throw malformed(place, "a table that is not named");
    const values = one.insert ?? one.delete;
    if (values !== undefined && values.length !== columns.length) {
      throw malformed(place, "a row has another number of values than its table has columns");
    }
    if ((one.update ?? []).some((/** @type {any[]} */ [column]) => column >= columns.length)) {
      throw malformed(place, "a column that is not named");
    }
  });
}

/** The stored text of a batch: it goes out byte for byte. */
const storedBatch = {
  /** @param {unknown} json @param {string} path */
  read: (json, path) => batch.write(batch.read(json, path)),
  write: (/** @type {string} */ stored) => stored,
};

// MARK: 4.2 The cursor

const scan = object({
  upperBound: required(text),
  scopes: unlessEmpty(textSet, noTexts),
  tables: unlessEmpty(texts, () => ({})),
  position: optional(object({
    table: required(small), scope: required(text), version: required(text), key: required(key),
  })),
});

const rowNames = {
  read: list(rowName).read,
  /** @param {any[]} rows */
  write: (rows) => `[${rows.map(rowName.write).sort(compareTexts).join(",")}]`,
};

export const cursor = object({
  epoch: optional(text),
  checkpoint: optional(text),
  complete: unlessEmpty(textSet, noTexts),
  partial: unlessEmpty(textSet, noTexts),
  tables: unlessEmpty(texts, () => ({})),
  scan: optional(scan),
  brokenOff: optional(text),
  highWater: optional(text),
  ahead: unlessEmpty(rowNames, nothing),
  signature: optional(object({
    readAt: required(text),
    lost: unlessEmpty(texts, () => ({})),
    code: required(text),
    scanCode: optional(text),
  })),
});

// MARK: 4 The exchange request

const report = object({
  name: optional(text),
  appVersion: optional(text),
  libraryVersion: optional(text),
  platform: optional(text),
  schema: optional(text),
  pending: required(count),
  refused: required(count),
  overruled: required(count),
  oldestPending: optional(integer),
  suspended: unlessEmpty(list(text), noTexts),
  fileSize: required(count),
  lastError: optional(text),
  clockOffset: optional(integer),
});

export const exchangeRequest = object({
  protocol: required(small),
  replica: required(text),
  formerly: optional(text),
  user: optional(text),
  hub: optional(text),
  clientVersion: optional(text),
  sentAt: required(integer),
  tables: required(tableList),
  scopes: unlessEmpty(
    list(object({ scope: required(text), priority: optional(text) })), nothing),
  cursor: required(cursor),
  schema: optional(text),
  rights: optional(text),
  answered: unlessEmpty(count, () => 0),
  batch: optional(storedBatch),
  keys: optional(list(object({ table: required(text), left: required(count) }))),
  limits: required(object({
    rows: required(count), bytes: required(count), pages: required(count),
  })),
  live: unlessEmpty(bool, no),
  report: optional(report),
});

// MARK: 6 The schema

const type = {
  /** @param {unknown} json @param {string} path */
  read(json, path) {
    const name = text.read(json, path);
    if (columnType(name) === null) throw malformed(path, "a type that is not known");
    return name;
  },
  write: text.write,
};

const column = object({
  name: required(text),
  type: required(type),
  notNull: unlessEmpty(bool, no),
  generated: unlessEmpty(bool, no),
  default: optional(tuple(value)),
  centralDefault: unlessEmpty(bool, no),
  deviceName: optional(text),
  aliases: unlessEmpty(list(text), noTexts),
  original: optional(text),
  comment: optional(text),
  labels: unlessEmpty(list(text), noTexts),
  file: unlessEmpty(bool, no),
});

const table = object({
  name: required(text),
  columns: required(list(column)),
  key: required(list(small)),
  unique: required(list(list(small))),
  foreign: required(list(object({
    columns: required(list(small)),
    table: required(text),
    references: required(list(text)),
    onDelete: required(text),
    onUpdate: required(text),
    deferrable: required(bool),
  }))),
  direction: optional(text),
  granularity: optional(text),
  keyBlock: optional(count),
  deviceName: optional(text),
  aliases: unlessEmpty(list(text), noTexts),
  comment: optional(text),
  checks: unlessEmpty(list(text), noTexts),
  indexes: unlessEmpty(list(list(small)), nothing),
}, checkTable);

/** @param {any} content @param {string} path */
function checkTable({ columns, key: keyColumns, unique, foreign, indexes }, path) {
  const places = [
    keyColumns, ...unique, ...indexes, ...foreign.map((/** @type {any} */ one) => one.columns),
  ].flat();
  if (places.some((place) => place >= columns.length)) {
    throw malformed(path, "a position without a column");
  }
  if (keyColumns.length === 0) throw malformed(path, "a table without a key");
}

export const schemaTables = list(table);

export const suspendedTable = object({
  name: required(text), reason: required(text), code: optional(text),
});

export const schemaAnswer = object({
  hub: required(text),
  version: required(text),
  tables: required(schemaTables),
  suspended: required(list(suspendedTable)),
});

// MARK: 7 Comparing

export const compareRequest = object({
  replica: required(text),
  formerly: optional(text),
  user: optional(text),
  clientVersion: optional(text),
  table: required(tableColumns),
  after: optional(key),
  rows: required(count),
  cursor: required(cursor),
  values: required(bool),
});

export const compareAnswer = object({
  rows: required(list(object({
    key: required(key),
    fingerprint: optional(text),
    values: optional(row),
    beyond: unlessEmpty(bool, no),
    withheld: unlessEmpty(bool, no),
  }))),
  next: optional(key),
});

/** @param {string} document @returns {any} */
export const decodeBatch = (document) => decode(batch, document);
