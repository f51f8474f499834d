// One sync, from the first request to the hub until nothing is left to push or to pull.

import { adoptSchemaAnswer, adoptWelcome } from "./adopt.js";
import { applyPage } from "./apply.js";
import { BATCH_LIMITS, hasSendable, prepareBatch, storedBatch } from "./batch.js";
import { aborted, emptied, MoorageError, unreachable, violation } from "./errors.js";
import { Exchange } from "./exchange.js";
import { fork, reconcile, rescan, unprepare } from "./history.js";
import { keysLeft } from "./keys.js";
import { exchangeRequest, PROTOCOL } from "./messages.js";
import { Mutex } from "./mutex.js";
import { endSubscriptions, requestedScopes } from "./scopes.js";
import { SILENCE } from "./transport.js";

/** @typedef {import("./session.js").Session} Session */

/** How much of an answer this client accepts. */
const PAGE_LIMITS = { rows: 5_000, bytes: 2_000_000, pages: 4 };
/** How often a sync may start something over, so that no hub sends it in circles. */
const MAXIMUM_REPAIRS = 3;
/** A batch is halved until the hub accepts it. */
const MAXIMUM_HALVINGS = 24;
/** How often in a row an exchange may bring nothing and ask for another. */
const MAXIMUM_VAIN = 5;
/** How many heartbeats may be missing. */
const PATIENCE = 2.5;

/**
 * @typedef {object} SyncSummary
 * @property {number} exchanges
 * @property {number} pushed Changes that the hub answered.
 * @property {number} refused Changes that the hub refused.
 * @property {number} received Rows that pages wrote.
 * @property {number} removed Rows that pages removed.
 * @property {boolean} isCaughtUp
 */

/**
 * A request under way.
 *
 * @typedef {object} Sending
 * @property {string} replica
 * @property {string | null} nonce That of its batch.
 * @property {string} text
 * @property {number} sentAt
 * @property {string[]} scopes
 * @property {string | null} says What its report says.
 * @property {string} asked The tables that it names.
 * @property {string} active The tables whose changes could be sent.
 * @property {number} changes
 * @property {boolean} hasMore Whether the log has changes for another batch.
 * @property {boolean} hasNewSchema Whether the answer brought a schema.
 * @property {Exchange} exchange
 */

/**
 * @callback OnOpen
 * @param {{ hasMore: boolean, isCaughtUp: boolean }} now `hasMore`: the log has changes for another
 *   batch.
 */

/** Counts what one sync did, and what it had to repair. */
class Run {
  /** @type {SyncSummary} */
  summary = { exchanges: 0, pushed: 0, refused: 0, received: 0, removed: 0, isCaughtUp: false };
  repairs = 0;
  tableChanges = 0;
  vain = 0;

  /** @param {number} [most] */
  countRepair(most = MAXIMUM_REPAIRS) {
    this.repairs += 1;
    if (this.repairs > most) throw violation("it asks the replica to start over again and again");
  }

  countTableChange() {
    this.tableChanges += 1;
    if (this.tableChanges > MAXIMUM_REPAIRS) throw violation("the batch was not answered");
  }
}

export class Syncer {
  #core;
  #transport;
  #reporter;
  #limits;
  /** Two exchanges at once would answer each other's batch. */
  #exchanges = new Mutex();

  /**
   * @param {object} parts
   * @param {import("./session.js").Core} parts.core
   * @param {import("./transport.js").Transport} parts.transport
   * @param {import("./report.js").Reporter} parts.reporter
   * @param {{ batch?: { rows: number, bytes: number }, page?: typeof PAGE_LIMITS }} [parts.limits]
   */
  constructor({ core, transport, reporter, limits }) {
    this.#core = core;
    this.#transport = transport;
    this.#reporter = reporter;
    this.#limits = { batch: limits?.batch ?? BATCH_LIMITS, page: limits?.page ?? PAGE_LIMITS };
  }

  /**
   * A whole sync.
   *
   * @param {AbortSignal} [signal]
   * @returns {Promise<SyncSummary>}
   */
  sync(signal) {
    return this.#exchanges.runUnless(async () => {
      const run = new Run();
      for (;;) {
        if (signal?.aborted) throw aborted();
        const { isDone } = await this.#exchange(run, { isLive: false, signal });
        if (isDone) return run.summary;
      }
    }, signal);
  }

  /**
   * One exchange whose answer may stay open.
   *
   * @param {AbortSignal} signal
   * @param {OnOpen} onOpen Called when the answer is open.
   * @returns {Promise<{ isDone: boolean, wait: number | undefined, wasOpen: boolean }>}
   */
  follow(signal, onOpen) {
    return this.#exchanges.runUnless(
      () => this.#exchange(new Run(), { isLive: true, signal, onOpen }), signal);
  }

  /**
   * @param {Run} run
   * @param {{ isLive: boolean, signal?: AbortSignal, onOpen?: OnOpen }} options
   */
  async #exchange(run, { isLive, signal, onOpen }) {
    await this.#meet(signal);
    const sending = await this.#prepare(isLive, run.summary.exchanges === 0);
    const { exchange } = sending;
    const silence = () => (exchange.heartbeat === null ? SILENCE
      : Math.min(Math.max(exchange.heartbeat, 10), 60_000) * PATIENCE);
    let wasOpen = false;
    let hasProgress = sending.changes > 0;
    run.summary.isCaughtUp = false;
    /** @type {import("./exchange.js").Effect | null} */
    let last = null;
    const answer = this.#transport.exchange(sending.text, { isLive, signal, silence });
    for await (const frame of answer) {
      const effect = exchange.received(frame);
      const applied = await this.#carryOut(run, sending, effect);
      hasProgress ||= applied;
      last = effect;
      if (!wasOpen && exchange.heartbeat !== null) {
        wasOpen = true;
        onOpen?.({ hasMore: sending.hasMore, isCaughtUp: run.summary.isCaughtUp });
      }
      // What follows in the stream continues the page that was dropped.
      if (isLive && effect.do === "apply" && !applied) {
        return { isDone: false, wait: undefined, wasOpen };
      }
    }
    if (!exchange.isEnded || last === null) {
      throw unreachable("the answer broke off before its end");
    }
    run.summary.exchanges += 1;
    if (last.do !== "finish") return { isDone: false, wait: undefined, wasOpen };
    run.vain = hasProgress || !last.more ? 0 : run.vain + 1;
    if (run.vain >= MAXIMUM_VAIN) throw violation("it asks for more exchanges and sends nothing");
    const isDone = !last.more && !await this.#isUnfinished(run, sending);
    return { isDone, wait: last.wait, wasOpen };
  }

  /** @param {Run} run @param {Sending} sending */
  async #isUnfinished(run, sending) {
    const now = await this.#core.read(async (session) => ({
      asked: namesOf(session.synced), active: namesOf(session.active),
      hasChanges: await hasSendable(session),
    }));
    // A long log has another batch, and the user may have gone on.
    if (sending.changes > 0 && now.hasChanges) return true;
    const isOther = now.asked !== sending.asked
      || ((now.hasChanges || !run.summary.isCaughtUp) && now.active !== sending.active);
    if (isOther && run.tableChanges < MAXIMUM_REPAIRS) {
      run.tableChanges += 1;
      return true;
    }
    return false;
  }

  /** Asks for the hub's tables before the first exchange. @param {AbortSignal} [signal] */
  async #meet(signal) {
    const isMet = await this.#core.read(async ({ state, isEmptied }) => {
      // The token may be the former user's.
      if (isEmptied) throw emptied();
      return state.schema !== null;
    });
    if (isMet) return;
    const answer = await this.#transport.schema(signal);
    await this.#write((session) => adoptSchemaAnswer(session, answer));
  }

  /** @template T @param {(session: Session) => Promise<T>} work */
  #write(work, isDurable = false) {
    return this.#core.exclusively.run(() => this.#core.write(work, { isDurable }));
  }

  // MARK: The request

  /** @param {boolean} isLive @param {boolean} isFirst @returns {Promise<Sending>} */
  #prepare(isLive, isFirst) {
    // A batch must be on the disk before anybody sees it: a sent batch is never forgotten.
    return this.#write(async (session) => {
      const { state } = session;
      const now = this.#core.now();
      if (endSubscriptions(state, now)) session.dirty();
      const { batch, hasMore } = await prepareBatch(session, this.#limits.batch);
      const tables = session.synced.map(({ name, columns }) => ({
        name, columns: columns.map((column) => column.name),
      }));
      // A long log is counted when a sync begins and when it is sent, not for each batch.
      const report = isFirst || !hasMore ? await this.#reporter.report(session, tables) : null;
      const scopes = requestedScopes(state);
      const cursor = session.takeCursor();
      const blocks = session.synced.filter(({ keyBlock }) => keyBlock !== undefined);
      const text = exchangeRequest.write({
        protocol: PROTOCOL,
        replica: state.replica,
        formerly: state.formerly ?? undefined,
        user: state.user ?? undefined,
        hub: state.hub ?? undefined,
        clientVersion: this.#reporter.appVersion,
        sentAt: now,
        tables,
        scopes,
        cursor,
        // The one for which the batch was made: the hub says whether it still fits.
        schema: batch?.schema ?? state.schema ?? undefined,
        rights: state.rights ?? undefined,
        answered: state.number,
        batch: batch?.text,
        keys: blocks.length === 0 ? undefined
          : blocks.map(({ name }) => ({ table: name, left: keysLeft(state, name) })),
        limits: this.#limits.page,
        live: isLive,
        report: report?.report,
      });
      const changes = batch?.count ?? 0;
      return {
        replica: state.replica, nonce: batch?.nonce ?? null, text, sentAt: now,
        scopes: scopes.map(({ scope }) => scope),
        says: report?.says ?? null, asked: namesOf(session.synced),
        active: namesOf(session.active), changes, hasMore, hasNewSchema: false,
        exchange: new Exchange({
          hub: state.hub, epoch: cursor.epoch, batchNumber: batch?.number ?? null,
          batchSize: changes, isLive,
        }),
      };
    }, true);
  }

  // MARK: The answer

  /**
   * @param {Run} run
   * @param {Sending} sending
   * @param {import("./exchange.js").Effect} effect
   * @returns {Promise<boolean>} Whether a page was applied.
   */
  async #carryOut(run, sending, effect) {
    if (effect.do === "nothing" || effect.do === "finish") return false;
    const { exchange } = sending;
    const time = { here: this.#core.now(), hub: exchange.hubTime };
    if (effect.do === "resend") {
      run.countTableChange();
      return false;
    }
    if (effect.do === "unprepare") checkHalving(run, sending);
    else if (effect.do !== "adopt" && effect.do !== "apply") run.countRepair();
    return this.#write(async (session) => {
      if (session.state.replica !== sending.replica) {
        throw unreachable("another tab gave the replica a new id meanwhile");
      }
      switch (effect.do) {
        case "adopt":
          await adoptWelcome(session, effect.welcome, sending.scopes);
          this.#reporter.welcomed(sending.says, sending.sentAt, exchange.hubTime);
          sending.hasNewSchema = effect.welcome.tables !== undefined;
          return false;
        case "apply": {
          const applied = await applyPage(session, effect.outcomes && sending.nonce, effect, time);
          count(run.summary, applied, effect.outcomes ? sending.changes : 0);
          return !applied.isDropped;
        }
        case "fork": await fork(session); return false;
        case "unprepare":
          // Meanwhile another tab may have put this batch back, and sent another one.
          if ((await storedBatch(session))?.nonce !== sending.nonce) return false;
          // The batch was made for another schema, whatever its size.
          await unprepare(session, !sending.hasNewSchema);
          return false;
        case "reconcile": await reconcile(session, time, exchange.copiedAt); return false;
        case "rescan": rescan(session); return false;
        default: return false;
      }
    });
  }
}

/** @param {Run} run @param {Sending} sending */
function checkHalving(run, sending) {
  if (sending.hasNewSchema) {
    run.countTableChange();
  } else if (sending.changes <= 1 && run.repairs > 0) {
    throw new MoorageError(
      "tooLarge", "The hub does not accept even a single change of the batch. The changes stay on "
        + "this device. Ask whoever runs the hub to raise its limits.");
  } else {
    run.countRepair(MAXIMUM_HALVINGS);
  }
}

/**
 * @param {SyncSummary} summary
 * @param {import("./apply.js").Applied} applied
 * @param {number} pushed
 */
function count(summary, applied, pushed) {
  if (!applied.isDropped) summary.pushed += pushed;
  summary.refused += applied.refused;
  summary.received += applied.written;
  summary.removed += applied.removed;
  summary.isCaughtUp = applied.isCaughtUp;
}

/** @param {import("./tables.js").Table[]} tables */
function namesOf(tables) {
  return JSON.stringify(tables.map(({ name, columns }) => [name, columns.map((one) => one.name)]));
}
