// What to do when the hub and the replica disagree about the past. Changes go back into the log, in
// front of later edits (docs/reference/client.md, When the hub and the replica disagree about the
// past).

import { storeBatch, storedBatch } from "./batch.js";
import { decode } from "./codec.js";
import { cursor as cursorCodec } from "./messages.js";
import { listDropped } from "./lists.js";
import { sentChanges } from "./outcomes.js";
import { bare } from "./own.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./outcomes.js").Sent} Sent */
/** @typedef {import("./fold.js").Change} Change */

/** Another replica uses this id. @param {Session} session */
export async function fork(session) {
  renewID(session);
  await unprepareInFlight(session, true);
  // The other replica may also have sent what this one has not sent yet.
  for (const table of session.tables.values()) {
    for (const [key, change] of await session.store.list("changes", table.name)) {
      session.putChange(table, String(key), markedAgain(change));
    }
  }
}

/** @param {Change} change @returns {Change} */
function markedAgain(change) {
  if (change.kind === "refetch") return change;
  const again = { ...change, again: true };
  return change.kind === "insert" ? { ...again, sinceSent: change.sinceSent ?? {} } : again;
}

/**
 * The hub cannot take the batch as it is.
 *
 * @param {Session} session
 * @param {boolean} isHalved Whether the next one is smaller.
 */
export async function unprepare(session, isHalved) {
  const count = await unprepareInFlight(session, false);
  if (isHalved) session.state.batchRows = Math.max(1, Math.floor(count / 2));
}

/**
 * The central database has another history. The replica reads everything from the start, and sends
 * again what was answered within the retention time.
 *
 * @param {Session} session
 * @param {{ here: number, hub: number }} time
 * @param {number | undefined} copiedAt What was answered until then is in the database, unless
 *   somebody deleted it since.
 */
export async function reconcile(session, time, copiedAt) {
  renewID(session);
  await unprepareInFlight(session, true);
  await forgetOld(session, time, true);
  const answered = (await session.store.list("answered", "")).map(([, batch]) => batch)
    .filter(({ hubAt }) => copiedAt === undefined || hubAt > copiedAt);
  // The newest first: each goes in front of the one that was before.
  for (const batch of answered.sort((a, b) => b.id - a.id)) {
    await unprepareBatch(session, batch, true, time.here);
  }
  session.store.clear("answered", "");
  restartScan(session, "{}");
}

/** The hub has forgotten deletions since the last exchange. @param {Session} session */
export function rescan(session) {
  // The epoch stays: the hub may lose it before the first page.
  const { epoch } = decode(cursorCodec, session.state.cursor);
  restartScan(session, cursorCodec.write({ epoch }));
}

/** @param {Session} session @param {string} cursor */
function restartScan(session, cursor) {
  for (const table of session.tables.values()) {
    if (table.isReceived) session.beginCopy(table.name);
  }
  session.store.clear("withheld");
  session.state.cursor = cursor;
  session.state.progress = null;
  session.dirty();
}

/** Takes a new id. Until a hub knows it, the old one gives the replica its rights. */
function renewID(/** @type {Session} */ { state, core }) {
  state.formerly ??= state.replica;
  state.replica = core.newID();
  state.number = 0;
  state.keys = bare();
}

/** @param {Session} session @param {boolean} isAgain @returns {Promise<number>} */
async function unprepareInFlight(session, isAgain) {
  const batch = await storedBatch(session);
  if (!batch) return 0;
  storeBatch(session, null);
  return unprepareBatch(session, batch, isAgain, null);
}

/**
 * @param {Session} session
 * @param {{ text: string, schema: string, keys?: Record<string, string[]> }} batch
 * @param {boolean} isAgain
 * @param {number | null} listingAt When to list changes of rows that are not here any more; `null`
 *   where all rows are.
 * @returns {Promise<number>} The number of its changes.
 */
async function unprepareBatch(session, batch, isAgain, listingAt) {
  const changes = sentChanges(session, batch);
  /** @type {Map<string, number>} A group stays one, under a number that no later group has. */
  const groups = new Map();
  // In front of all that is in the log, in the batch's order.
  const start = -session.nextNumber() * MAXIMUM_CHANGES;
  for (const [place, sent] of changes.entries()) {
    if (!sent) continue;
    if (sent.group !== null && !groups.has(sent.group)) {
      groups.set(sent.group, session.nextNumber());
    }
    const group = sent.group === null ? undefined : groups.get(sent.group);
    const again = isAgain || sent.isAgain;
    await unprepareChange(session, sent, { again, group, listingAt, seq: start + place });
  }
  session.isWork = true;
  return changes.length;
}

/** More than any hub takes in one batch. */
const MAXIMUM_CHANGES = 1_000_000;

/**
 * @param {Session} session
 * @param {Sent} sent
 * @param {{ again: boolean, group: number | undefined, listingAt: number | null, seq: number }}
 *   place
 */
async function unprepareChange(session, sent, { again, group, listingAt, seq }) {
  const { table, key, kind, at, old } = sent;
  const later = await session.change(table, key);
  const isHere = await session.row(table, key) !== undefined;
  // The hub did not take the batch, so it has not got these values.
  if (listingAt === null) listDropped(session, table.name, key, sent.dropped);
  const isEmpty = kind === "refetch" || (kind === "update" && Object.keys(old).length === 0);
  // A change with nothing to change asks what the row is. A later one asks, too.
  if (isEmpty) return session.ask(table, key, at);
  if (listingAt !== null && kind !== "delete" && !isHere && !later) {
    return listWithoutRow(session, sent, listingAt);
  }
  // The row is here, and nobody inserted it since: the hub overruled the deletion.
  if (kind === "delete" && isHere && (!later || later.kind === "update")) return undefined;
  const change = {
    kind, at, again, seq, ...(group === undefined ? {} : { groups: [group] }),
    ...(kind === "update" ? { old } : {}), ...(kind === "delete" ? { row: sent.row } : {}),
    ...(kind === "insert" && again ? { sinceSent: {} } : {}),
  };
  return session.prepend(table, key, change);
}

/** The row left this device, as with a subscription that ended. @param {Session} session */
function listWithoutRow(session, /** @type {Sent} */ sent, /** @type {number} */ at) {
  const { table, key, kind } = sent;
  session.add("refused", {
    table: table.name, key, kind,
    before: kind === "insert" ? null : sent.old,
    after: kind === "insert" ? sent.row : sent.now,
    code: "recovered",
    message: "The hub's history began again from an earlier state, which may lack this change. The "
      + "row is not on this device any more, so the change was not sent again. Retry an insert, or "
      + "make the change where the row is.",
    at,
  });
}

/** How often the lists are searched for what is old. */
const DAY = 86_400_000;

/**
 * Forgets answered batches and lost conflicts at the end of the retention time. A batch goes when
 * one clock says that its time is over, and neither says that it is young: either may have jumped.
 *
 * @param {Session} session
 * @param {{ here: number, hub: number }} time
 * @param {boolean} isDue Whether to search now, whenever the last search was.
 */
export async function forgetOld(session, time, isDue = false) {
  const { core: { retention }, state, store } = session;
  const sinceLast = time.here - state.searchedAt;
  if (!isDue && sinceLast >= 0 && sinceLast < DAY) return;
  state.searchedAt = time.here;
  session.dirty();
  const isOver = (/** @type {number} */ age) => age > retention;
  const isYoung = (/** @type {number} */ age) => Math.abs(age) <= retention;
  await store.each("answered", "", (id, { at, hubAt }) => {
    const ages = [time.here - at, time.hub - hubAt];
    if (ages.some(isOver) && !ages.some(isYoung)) store.delete("answered", "", id);
  });
  await store.each("overruled", "", (id, { at }) => {
    if (isOver(time.here - at)) store.delete("overruled", "", id);
  });
}
