// What a device says of itself, so that the owner of the hub can see it: counts, names and
// versions, no content of rows (docs/reference/protocol.md, 4.4).

/** The version of this library. */
export const VERSION = "0.1.0";

const MAXIMUM_BYTES = 200;
const MAXIMUM_TABLES = 100;

/**
 * What an app says of itself and its device.
 *
 * @typedef {object} Device
 * @property {string} [name]
 * @property {string} [appVersion]
 * @property {string} [platform]
 * @property {string} [schemaVersion]
 */

/** As much of a text as a report may have. @param {string | undefined} text */
export function reportedText(text) {
  if (text === undefined) return undefined;
  let result = "";
  let size = 0;
  for (const character of String(text)) {
    size += new TextEncoder().encode(character).length;
    if (size > MAXIMUM_BYTES) break;
    result += character;
  }
  return result;
}

/** Remembers what a hub knows of this device, as long as the page lives. */
export class Reporter {
  /** @type {string | null} */
  #welcomed = null;
  /** @type {number | undefined} By how much this clock is ahead of the hub's. */
  #clockOffset = undefined;
  #device;
  /** @type {string | undefined} */
  lastError = undefined;

  /** @param {Device} device */
  constructor(device) { this.#device = device; }

  get appVersion() { return reportedText(this.#device.appVersion); }

  /**
   * A report for a request, and what it says; `null` if a hub knows the same.
   *
   * @param {import("./session.js").Session} session
   * @param {any[]} tables Those of the request.
   * @returns {Promise<{ report: any, says: string } | null>}
   */
  async report(session, tables) {
    const { name, platform, schemaVersion } = this.#device;
    let pending = 0;
    let oldest = Infinity;
    for (const table of session.tables.keys()) {
      for (const [, { at }] of await session.store.list("changes", table)) {
        pending += 1;
        oldest = Math.min(oldest, at);
      }
    }
    const suspended = [...session.tables.values()]
      .filter(({ problem }) => problem !== null)
      .map((table) => /** @type {string} */ (reportedText(table.name))).sort();
    const report = {
      name: reportedText(name),
      appVersion: this.appVersion,
      libraryVersion: VERSION,
      platform: reportedText(platform),
      schema: reportedText(schemaVersion),
      pending,
      refused: await session.store.count("refused"),
      overruled: await session.store.count("overruled"),
      oldestPending: pending > 0 && this.#clockOffset !== undefined
        ? oldest - this.#clockOffset : undefined,
      suspended: suspended.slice(0, MAXIMUM_TABLES),
      // A browser does not say how large the database is.
      fileSize: 0,
      lastError: reportedText(this.lastError),
    };
    const says = JSON.stringify([session.state.replica, report, tables]);
    if (says === this.#welcomed) return null;
    return { report: { ...report, clockOffset: this.#clockOffset }, says };
  }

  /** @param {string | null} says @param {number} sentAt @param {number} hubTime */
  welcomed(says, sentAt, hubTime) {
    if (says !== null) this.#welcomed = says;
    this.#clockOffset = sentAt - hubTime;
  }
}
