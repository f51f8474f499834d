// Scopes that an app asks for (docs/reference/protocol.md, 4.3).

import { misuse } from "./errors.js";

/** @typedef {import("./session.js").State} State */

/**
 * @typedef {{ priority: "high" | "low" | null, until: number | null, span: number | null }}
 *   Subscription `until` is a time by this device's clock, `span` the whole time to live.
 */

/** @typedef {{ scope: string, priority: "high" | "low" | null,
 *   state: "loading" | "complete" | "unavailable" }} SubscriptionState */

const MAXIMUM_SCOPES = 10_000;
const MAXIMUM_NAME_BYTES = 300;
const MAXIMUM_SPAN = 10 * 366 * 86_400_000;

/**
 * @param {State} state
 * @param {string} scope
 * @param {{ priority?: "high" | "low", timeToLive?: number }} options `timeToLive` is in
 *   milliseconds.
 * @param {number} now
 */
export function subscribe(state, scope, { priority, timeToLive }, now) {
  const bytes = typeof scope === "string" ? new TextEncoder().encode(scope).length : 0;
  if (bytes < 1 || bytes > MAXIMUM_NAME_BYTES) {
    throw misuse(
      "subscriptionInvalid", `The name of a scope has 1 to ${MAXIMUM_NAME_BYTES} bytes.`);
  }
  if (priority !== undefined && priority !== "high" && priority !== "low") {
    throw misuse("subscriptionInvalid", "The priority of a scope is \"high\" or \"low\".");
  }
  if (timeToLive !== undefined && !(timeToLive > 0 && timeToLive <= MAXIMUM_SPAN)) {
    throw misuse("subscriptionInvalid", "The time to live is from 1 ms to ten years.");
  }
  if (!Object.hasOwn(state.scopes, scope) && Object.keys(state.scopes).length >= MAXIMUM_SCOPES) {
    throw misuse(
      "subscriptionInvalid", `The replica has ${MAXIMUM_SCOPES} subscriptions. End some first.`);
  }
  state.scopes[scope] = {
    priority: priority ?? null, until: timeToLive ? now + timeToLive : null,
    span: timeToLive ?? null,
  };
}

/** Ends subscriptions whose time is over. @param {State} state @param {number} now */
export function endSubscriptions(state, now) {
  let isChanged = false;
  for (const [scope, one] of Object.entries(state.scopes)) {
    if (one.until === null || one.span === null) continue;
    if (one.until <= now) {
      delete state.scopes[scope];
      isChanged = true;
    } else if (one.until > now + one.span) {
      // The clock was set back: no subscription lasts longer than its time from now on.
      one.until = now + one.span;
      isChanged = true;
    }
  }
  return isChanged;
}

/** The scopes of a request. @param {State} state */
export function requestedScopes(state) {
  return Object.entries(state.scopes).map(
    ([scope, { priority }]) => (priority === null ? { scope } : { scope, priority }));
}

/**
 * @param {State} state
 * @param {any} cursor
 * @returns {SubscriptionState[]}
 */
export function subscriptionStates(state, cursor) {
  return Object.entries(state.scopes).map(([scope, { priority }]) => ({
    scope,
    priority,
    state: state.unavailable.includes(scope) ? "unavailable"
      : cursor.complete.includes(scope) ? "complete" : "loading",
  }));
}
