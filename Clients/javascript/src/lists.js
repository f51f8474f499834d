// Entries of the lists for people that this device makes by itself.

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./fold.js").Row} Row */

/**
 * Lists what the app wrote into columns that the hub does not take. It is not sent.
 *
 * @param {Session} session
 * @param {string} table
 * @param {string} key
 * @param {Row} values
 */
export function listDropped(session, table, key, values) {
  const names = Object.keys(values);
  if (names.length === 0) return;
  session.add("refused", {
    table, key, kind: "update", before: null, after: values, code: "unknownColumn",
    message: `The hub does not take ${names.join(", ")} of ${table}, so what the app wrote there was `
      + "not sent. This list keeps it.",
    at: session.core.now(),
  });
}

const RECOVERED = {
  goneAtHub: "The server does not have this row any more, so the replica removed it here. This "
    + "list keeps the row. Retry the entry to write the row again, or dismiss it.",
  notRekeyed: "The hub gave another key to this row, or to one that it refers to, and the row here "
    + "could not follow. This list keeps what was edited since. Correct the row by hand.",
  sameKey: "Two rows of this device have the same key in the form in which keys travel. This list "
    + "keeps one of them. Insert it again under another key.",
};

/**
 * Lists a row that leaves this device, so that it can be recovered.
 *
 * @param {Session} session
 * @param {string} table
 * @param {string} key
 * @param {Row} row
 * @param {keyof typeof RECOVERED} why
 */
export function listRecovered(session, table, key, row, why) {
  session.add("refused", {
    table, key, kind: "row", before: null, after: row, code: "recovered",
    message: RECOVERED[why], at: session.core.now(),
  });
}
