// The state of a replica, for the one line that a screen shows.

/**
 * @typedef {"stopped" | "starting" | "syncing" | "live" | "waiting" | "offline" | "signInRequired"
 *   | "updateRequired" | "failing" | "ended"} Phase
 */

/**
 * @typedef {object} Status
 * @property {Phase} phase
 * @property {boolean} isLeader Whether this tab talks to the hub.
 * @property {boolean} isCaughtUp The replica has what the hub had at the last sync, and no change
 *   waits.
 * @property {number | null} lastCaughtUp When all rows of the hub were last here.
 * @property {number} pending Changes that the hub has not answered.
 * @property {number} refused
 * @property {number} conflicts
 * @property {number} withheld
 * @property {{ done: number, expected: number } | null} progress How far the first copy is.
 * @property {{ name: string, code: string, reason: string }[]} suspended
 * @property {import("./errors.js").MoorageError | null} error Why the last try failed.
 * @property {number | null} nextTry
 */

/** @returns {Status} */
export function firstStatus() {
  return {
    phase: "stopped", isLeader: false, isCaughtUp: false, lastCaughtUp: null, pending: 0,
    refused: 0, conflicts: 0, withheld: 0, progress: null, suspended: [], error: null,
    nextTry: null,
  };
}

/** What the store says. @param {import("./session.js").Session} session */
export async function storedStatus(session) {
  const { state, store } = session;
  const [changes, refused, conflicts, withheld] = await Promise.all(
    ["changes", "refused", "overruled", "withheld"].map((name) => store.count(name)));
  const suspended = [...session.tables.values()].flatMap(({ name, problem }) => {
    const { hub } = session.tableState(name);
    // Where an update of the app helps, it may fix this device's reason, too.
    const reason = hub?.code === "clientTooOld" ? hub : problem ?? hub;
    return reason ? [{ name, ...reason }] : [];
  });
  return {
    pending: changes + state.sent, refused, conflicts, withheld, suspended,
    progress: state.progress, lastCaughtUp: state.caughtUp?.here ?? null,
    hasPulled: state.caughtUp !== null && state.progress === null, isEmptied: session.isEmptied,
  };
}

/** The phase after a failure. @param {import("./errors.js").MoorageError} error @returns {Phase} */
export function phaseAfter(error) {
  if (error.isFinal) return "ended";
  switch (error.code) {
    case "unauthorized": return "signInRequired";
    case "clientTooOld": return "updateRequired";
    case "unreachable": case "busy": case "shuttingDown": case "databaseUnavailable":
    case "notOurServer": case "tooMany": return "offline";
    default: return "failing";
  }
}
