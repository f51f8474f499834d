// One exchange, seen from the device: frames go in, and what to do comes out. It waits for nothing
// and stores nothing (docs/reference/invariants.md, E1 to E4).

import { hubFailed, violation } from "./errors.js";

/**
 * What to do next.
 *
 * @typedef {{ do: "nothing" } | { do: "adopt", welcome: any }
 *   | { do: "apply", outcomes: any, page: any }
 *   | { do: "fork" | "unprepare" | "resend" | "reconcile" | "rescan" }
 *   | { do: "finish", more: boolean, wait: number | undefined }} Effect
 */

export class Exchange {
  /** @type {"start" | "welcomed" | "answered" | "paged" | "open" | "ended"} */
  #state = "start";
  #request;
  /** @type {any} */
  #outcomes = null;
  /** What to do at the end of the answer; until then no page may come. @type {Effect | null} */
  #atEnd = null;
  #hasNewSchema = false;
  /** @type {number | null} */
  #heartbeat = null;

  isCaughtUp = false;
  /** The hub's time, as it last said; 0 before its welcome. */
  hubTime = 0;
  /** @type {number | undefined} */
  copiedAt = undefined;

  /**
   * @param {{ hub: string | null, epoch: string | undefined, batchNumber: number | null,
   *   batchSize: number, isLive: boolean }} request
   */
  constructor(request) { this.#request = request; }

  get isEnded() { return this.#state === "ended"; }

  /** How long the live stream may be without a frame; `null` while none is open. */
  get heartbeat() { return this.#state === "open" ? this.#heartbeat : null; }

  /** @param {{ kind: string, content: any }} frame @returns {Effect} */
  received({ kind, content }) {
    if (this.isEnded) throw violation("the answer goes on after its end");
    switch (kind) {
      case "welcome": return this.#welcome(content);
      case "outcomes": return this.#answer(content);
      case "page": return this.#page(content);
      case "alive": return this.#alive(content);
      case "end": return this.#end(content);
      default:
        this.#state = "ended";
        throw hubFailed(content);
    }
  }

  /** @param {any} welcome @returns {Effect} */
  #welcome(welcome) {
    if (this.#state !== "start") throw violation("a second welcome");
    const { hub, epoch, isLive } = this.#request;
    this.#state = "welcomed";
    this.hubTime = Number(welcome.time);
    this.copiedAt = welcome.copiedAt === undefined ? undefined : Number(welcome.copiedAt);
    this.#hasNewSchema = welcome.tables !== undefined;
    if (isLive) this.#heartbeat = welcome.live?.heartbeat ?? null;
    if (hub === null || hub === welcome.hub) {
      if (epoch !== undefined && epoch !== welcome.epoch) this.#atEnd = { do: "reconcile" };
      else if (welcome.expired) this.#atEnd = { do: "rescan" };
    }
    return { do: "adopt", welcome };
  }

  /** @param {any} outcomes @returns {Effect} */
  #answer(outcomes) {
    const { batchNumber, batchSize } = this.#request;
    if (this.#state !== "welcomed" || this.#atEnd || batchNumber === null) {
      throw violation("outcomes where none can come");
    }
    if (outcomes.number !== batchNumber) throw violation("outcomes of another batch");
    this.#state = "answered";
    if (outcomes.status === "forked") this.#atEnd = { do: "fork" };
    else if (outcomes.status === "notTaken") this.#atEnd = { do: "unprepare" };
    else {
      const isForgotten = outcomes.status === "alreadyApplied" && outcomes.list.length === 0;
      if (outcomes.list.length !== batchSize && !isForgotten) {
        throw violation("the outcomes are not those of the batch");
      }
      this.#outcomes = outcomes;
    }
    return { do: "nothing" };
  }

  /** @param {any} page @returns {Effect} */
  #page(page) {
    const mayCome = this.#state === "welcomed" ? this.#request.batchNumber === null
      : this.#state !== "start";
    if (!mayCome || this.#atEnd) throw violation("a page where none can come");
    if (this.#state !== "open") this.#state = "paged";
    this.isCaughtUp = page.caughtUp;
    if (page.caughtUp && this.#heartbeat !== null) this.#state = "open";
    const outcomes = this.#outcomes;
    this.#outcomes = null;
    return { do: "apply", outcomes, page };
  }

  /** @param {any} alive @returns {Effect} */
  #alive({ time }) {
    if (this.#state !== "open") throw violation("a sign of life where no stream is open");
    this.hubTime = Number(time);
    return { do: "nothing" };
  }

  /** @param {any} end @returns {Effect} */
  #end({ more, wait }) {
    if (this.#state === "start") throw violation("an end before the welcome");
    if (this.#outcomes) throw violation("outcomes without a page");
    if (this.#state === "welcomed" && this.#request.batchNumber !== null && !this.#atEnd) {
      if (!this.#hasNewSchema) throw violation("the batch was not answered");
      this.#atEnd = { do: "resend" };
    }
    this.#state = "ended";
    return this.#atEnd ?? { do: "finish", more, wait };
  }
}
