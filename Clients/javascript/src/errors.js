// Errors with stable codes, as docs/reference/errors.md lists them. A message names tables,
// columns and ids, never a value or a secret.

import { own } from "./own.js";

/**
 * What helps after an error.
 *
 * @typedef {"retry" | "changeSchema" | "choose" | "changeCall" | "signIn" | "updateApp" |
 *   "askOperator" | "reportBug"} Recovery
 */

/** @type {Record<string, Recovery>} */
const RECOVERIES = {
  unauthorized: "signIn",
  emptied: "signIn",
  protocolTooOld: "updateApp",
  clientTooOld: "updateApp",
  metadataNewer: "updateApp",
  malformed: "reportBug",
  internalError: "reportBug",
  cursorInvalid: "reportBug",
  protocolViolation: "reportBug",
  differentHub: "choose",
  differentUser: "choose",
  notFound: "choose",
  configuration: "choose",
  unreachable: "retry",
  notOurServer: "retry",
  busy: "retry",
  shuttingDown: "retry",
  databaseUnavailable: "retry",
  databaseError: "retry",
  tooMany: "retry",
  cursorExpired: "retry",
  diskFull: "retry",
  database: "retry",
  keyMismatch: "changeSchema",
  missingColumn: "changeSchema",
  noSuchTable: "changeSchema",
  tableSuspended: "askOperator",
  tooLarge: "askOperator",
};

/** Codes after which only the app can go on. */
const FINAL = new Set([
  "differentHub", "differentUser", "metadataNewer", "metadataDamaged", "databaseClosed",
  "replicaRevoked", "replicaWiped", "emptied",
]);

/** An error with a stable `code`, a sentence and what helps. */
export class MoorageError extends Error {
  /**
   * @param {string} code Stable; for programs.
   * @param {string} message What happened, what is safe and what to do.
   * @param {{ recovery?: Recovery, retryAfter?: number, cause?: unknown }} [more]
   *   `retryAfter` is in milliseconds.
   */
  constructor(code, message, more = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "MoorageError";
    this.code = code;
    /** @type {Recovery} */
    this.recovery = more.recovery ?? own(RECOVERIES, code) ?? "askOperator";
    /** @type {number | undefined} */
    this.retryAfter = more.retryAfter;
  }

  /** Whether the replica stops, because another try cannot succeed before the app acts. */
  get isFinal() { return FINAL.has(this.code); }
}

/**
 * The app made a call that cannot be carried out. Nothing changed.
 *
 * @param {string} code
 * @param {string} message
 */
export function misuse(code, message) {
  return new MoorageError(code, message, { recovery: "changeCall" });
}

/**
 * A message that breaks the protocol's form.
 *
 * @param {string} path Where, such as `page.tables[0]`; empty for the whole document.
 * @param {string} what
 */
export function malformed(path, what) {
  const where = path === "" ? "the document" : path;
  return new MoorageError("malformed", `The message is malformed at ${where}: ${what}.`);
}

/** @param {string} what A part of a sentence. */
export function violation(what) {
  return new MoorageError(
    "protocolViolation",
    `The hub's answer breaks the protocol: ${what}. Nothing of it was applied. `
      + "Report this as a defect.");
}

/** @param {string} reason A part of a sentence. @param {unknown} [cause] */
export function unreachable(reason, cause) {
  return new MoorageError(
    "unreachable", `The server cannot be reached: ${reason}. No change is lost.`, { cause });
}

/** How much of a hub's error is kept, in characters. */
const LONGEST_CODE = 100;
const LONGEST_MESSAGE = 2_000;

/**
 * The error that a hub answered.
 *
 * @param {{ code: string, message: string, retryAfter?: number }} answer
 */
export function hubFailed({ code, message, retryAfter }) {
  return new MoorageError(
    code.slice(0, LONGEST_CODE), message.slice(0, LONGEST_MESSAGE),
    { retryAfter: seconds(retryAfter) });
}

/** Milliseconds of what a hub asks to wait. @param {number | undefined} count In seconds. */
export function seconds(count) {
  return count === undefined ? undefined : Math.min(Math.max(count, 1), 86_400) * 1_000;
}

/** Another tab made room for another user. */
export function emptied() {
  return new MoorageError(
    "emptied", "Another tab deleted everything for another user. Nothing of this tab is stored or "
      + "sent. Sign in again, and call start(), or reload the page.");
}

/** The error of a call that its `AbortSignal` ended. */
export function aborted() {
  return new DOMException("The call was aborted. No change is lost.", "AbortError");
}

/** @param {unknown} error */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Shows a failure of the app's own function where the app's other failures are. */
export function report(/** @type {unknown} */ error) {
  globalThis.reportError ? globalThis.reportError(error) : console.error(error);
}
