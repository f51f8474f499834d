// The pages of a hub in memory.

import { writeValue } from "../../src/values.js";

export function keyText(key) { return `[${key.map(writeValue).join(",")}]`; }

export function namesOf({ name, deviceName, aliases }) {
  return [deviceName ?? name, name, ...aliases];
}

/**
 * The page that continues a cursor.
 *
 * @param {import("./scripted-hub.js").ScriptedHub} hub
 */
export function pageOf(hub, since, request, answered) {
  const asked = request.tables.filter(({ name }) =>
    hub.described(name) && !hub.suspended.some((one) => one.name === name));
  const signatures = Object.fromEntries(
    asked.map(({ name, columns }) => [name, `s:${columns.join(",")}`]));
  const scan = since.scan ?? newScan(hub, since, signatures);
  const position = scan?.position ? Number(scan.position.version) : 0;
  const upperBound = scan ? Number(scan.upperBound) : hub.history.version;
  const checkpoint = Number(since.checkpoint ?? -1);
  const all = [...hub.history.rows.values()].sort((a, b) => a.version - b.version);
  const placesOf = (changes) =>
    new Set(changes.map(({ table: name, key }) => `${name} ${keyText(key)}`));
  const names = placesOf(answered.filter(({ isKnown }) => !isKnown));
  const known = placesOf(answered.filter(({ isKnown }) => isKnown));
  const isScanned = (row) => scan && Object.hasOwn(scan.tables, row.table)
    && row.version <= upperBound && row.version > position && row.values;
  const isNew = (row) => !scan && row.version > checkpoint;
  const chosen = all.filter((row) => {
    const place = `${row.table} ${keyText(row.key)}`;
    return Object.hasOwn(signatures, row.table) && !known.has(place)
      && (isScanned(row) || isNew(row) || names.has(place));
  });
  const inScan = chosen.filter(isScanned);
  const isLong = scan && inScan.length > request.limits.rows;
  const last = isLong ? inScan[request.limits.rows - 1] : null;
  const sent = isLong
    ? chosen.filter((row) => !isScanned(row) || row.version <= last.version) : chosen;
  // What was refused and is not here is a removal, too.
  const gone = answered.filter(({ table: name, key }) => !hub.row(name, key)
    && Object.hasOwn(signatures, name));
  const base = { epoch: hub.epoch, complete: [], partial: [], ahead: [] };
  const cursor = isLong
    ? {
      ...base, partial: ["*"], checkpoint: since.checkpoint, tables: since.tables,
      scan: {
        ...scan,
        position: { table: 0, scope: "*", version: String(last.version), key: last.key },
      },
    }
    : {
      ...base, complete: ["*"], tables: signatures,
      checkpoint: String(scan ? upperBound : hub.history.version),
    };
  const isCaughtUp = !isLong && (!scan || upperBound === hub.history.version);
  return {
    since, cursor, caughtUp: isCaughtUp, expectedTables: [],
    expected: scan && !since.scan ? inScan.length : undefined,
    removals: grouped(
      hub, [...sent.filter((row) => !row.values), ...gone],
      (rows) => ({ keys: rows.map(({ key }) => key) })),
    tables: grouped(hub, sent.filter((row) => row.values), (rows, name) => {
      const { columns } = asked.find((one) => one.name === name);
      const places = columns.map((column) =>
        hub.described(name).columns.findIndex((one) => namesOf(one).includes(column)));
      return { columns, rows: rows.map(({ values }) => places.map((place) => values[place])) };
    }),
    withheld: [],
  };
}

function newScan(hub, since, signatures) {
  const unread = Object.fromEntries(Object.entries(signatures).filter(
    ([name, signature]) => since.tables[name] !== signature));
  if (since.checkpoint !== undefined && Object.keys(unread).length === 0) return undefined;
  return { upperBound: String(hub.history.version), scopes: ["*"], tables: unread };
}

function grouped(hub, rows, content) {
  return hub.tables.map(({ name }) => [name, rows.filter((row) => row.table === name)])
    .filter(([, some]) => some.length > 0)
    .map(([name, some]) => ({ table: name, ...content(some, name) }));
}
