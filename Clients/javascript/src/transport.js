// The way to the hub: HTTP by `fetch` (docs/reference/protocol.md, 1).

import { decode } from "./codec.js";
import {
  aborted, hubFailed, isAbort, malformed, MoorageError, seconds, unreachable,
} from "./errors.js";
import { frame as frameCodec, hubError } from "./frames.js";
import { compareAnswer, compareRequest, schemaAnswer } from "./messages.js";

/** A server that is not ours must not fill the memory. */
const MAXIMUM_FRAME = 64_000_000;
const MAXIMUM_ANSWER = 512_000_000;
const MAXIMUM_ERROR = 100_000;
/** How long an answer may be silent, in milliseconds. */
export const SILENCE = 120_000;

const SIGN_IN = "the sign-in of the app does not answer";

/**
 * Gives the credential for a request.
 *
 * @callback TokenSource
 * @param {{ refused: string | null }} reason `refused` is the token that the hub just refused.
 * @returns {Promise<string | null> | string | null}
 */

export class Transport {
  #base;
  #token;
  #fetch;

  /**
   * @param {object} parts
   * @param {string | URL} parts.url
   * @param {TokenSource | undefined} parts.token
   * @param {boolean} [parts.allowsPlainHTTP]
   * @param {typeof fetch} [parts.fetch]
   */
  constructor({ url, token, allowsPlainHTTP = false, fetch }) {
    this.#base = baseURL(url, allowsPlainHTTP);
    this.#token = token;
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  /** @param {AbortSignal} [signal] */
  schema(signal) { return this.#document("GET", "schema", undefined, schemaAnswer, signal); }

  /** @param {any} request @param {AbortSignal} [signal] */
  compare(request, signal) {
    return this.#document(
      "POST", "compare", compareRequest.write(request), compareAnswer, signal);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {string | undefined} body
   * @param {import("./codec.js").Codec<any>} codec
   * @param {AbortSignal} [signal]
   */
  async #document(method, path, body, codec, signal) {
    const stop = linked(signal);
    try {
      const response = await this.#ask(method, path, body, "application/json", stop.signal);
      return decode(codec, await wholeText(response, MAXIMUM_FRAME, stop.signal));
    } finally {
      stop.end();
    }
  }

  /**
   * The frames of an answer, as they arrive.
   *
   * @param {string} body
   * @param {object} options
   * @param {boolean} options.isLive
   * @param {AbortSignal} [options.signal]
   * @param {() => number} options.silence How long the answer may be silent from now on.
   * @returns {AsyncGenerator<{ kind: string, content: any }>}
   */
  async *exchange(body, { isLive, signal, silence }) {
    const stop = linked(signal);
    const limit = isLive ? Infinity : MAXIMUM_ANSWER;
    try {
      const response = await this.#ask(
        "POST", "exchange", body, "application/x-ndjson", stop.signal);
      for await (const line of lines(response, limit, silence, stop.signal)) {
        yield decode(frameCodec, line);
      }
    } finally {
      // Ends the request, if the answer was not read to its end.
      stop.end();
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {string | undefined} body
   * @param {string} type
   * @param {AbortSignal} signal
   */
  async #ask(method, path, body, type, signal) {
    const first = await this.#credential(null, signal);
    const response = await this.#send(method, path, body, type, signal, first);
    if (response.status !== 401) return answered(response, type);
    // The token may just have expired, so ask the app once for another one.
    await response.body?.cancel();
    const second = await this.#credential(first, signal);
    if (second === null || second === first) throw notAuthorized();
    return answered(await this.#send(method, path, body, type, signal, second), type);
  }

  /** @param {string | null} refused @param {AbortSignal} signal */
  async #credential(refused, signal) {
    if (!this.#token) return null;
    let token;
    try {
      const given = Promise.resolve(this.#token({ refused }));
      token = await within(given, SILENCE, signal, () => unreachable(SIGN_IN));
    } catch (error) {
      throw isAbort(error) || error instanceof MoorageError ? error
        : unreachable(SIGN_IN, error);
    }
    if (token === null || token === undefined) {
      if (refused !== null) return null;
      throw new MoorageError(
        "unauthorized", "The app has no token for the server now. No change is lost. "
          + "Sign in again.");
    }
    if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
      throw new MoorageError(
        "unauthorized", "The token is empty, or has a character that no HTTP header carries. "
          + "Nothing was sent. Give it as the sign-in did.");
    }
    return token;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {string | undefined} body
   * @param {string} type
   * @param {AbortSignal} signal
   * @param {string | null} credential
   * @returns {Promise<Response>}
   */
  async #send(method, path, body, type, signal, credential) {
    /** @type {Record<string, string>} */
    const headers = { Accept: type };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (credential !== null) headers.Authorization = `Bearer ${credential}`;
    try {
      const response = this.#fetch(new URL(`v1/${path}`, this.#base), {
        method, headers, body, signal, cache: "no-store", credentials: "omit", redirect: "error",
      });
      return await within(response, SILENCE, signal);
    } catch (error) {
      throw isAbort(error) || error instanceof MoorageError ? error
        : unreachable("no connection, or none that the browser allows", error);
    }
  }
}

/** A signal of one request, which also ends with another one. @param {AbortSignal} [signal] */
function linked(signal) {
  const controller = new AbortController();
  const end = () => {
    signal?.removeEventListener("abort", end);
    controller.abort();
  };
  signal?.addEventListener("abort", end);
  if (signal?.aborted) end();
  return { signal: controller.signal, end };
}

/** @param {string | URL} given @param {boolean} allowsPlainHTTP */
function baseURL(given, allowsPlainHTTP) {
  let url;
  try {
    url = new URL(given, globalThis.location?.href);
  } catch {
    throw configuration("is no URL of a server. Write https://host, or http://localhost:8080.");
  }
  if (!["https:", "http:"].includes(url.protocol) || url.username || url.password || url.search
    || url.hash) {
    throw configuration("is not http or https, or has a user, a query or a fragment.");
  }
  // An address that `URL` has brought into its one form.
  const isHere = ["localhost", "[::1]"].includes(url.hostname)
    || /^127\.\d+\.\d+\.\d+$/.test(url.hostname);
  if (url.protocol === "http:" && !isHere && !allowsPlainHTTP) {
    throw configuration(
      "is plain HTTP, beyond this machine. Use https, or allowsPlainHTTP on a private network.");
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

/** @param {string} what */
function configuration(what) {
  return new MoorageError("configuration", `The hub's address ${what} Nothing was sent.`);
}

function notAuthorized() {
  return new MoorageError(
    "unauthorized",
    "The hub did not accept the token. No change is lost. Sign in again, or give the hub's present "
      + "secret.");
}

/** @param {Response} response @param {string} type */
function hasType(response, type) {
  const found = response.headers.get("content-type") ?? "";
  return found.split(";")[0].trim().toLowerCase() === type;
}

/** @param {string} sign */
function notOurServer(sign) {
  return new MoorageError(
    "notOurServer",
    `Something answered that is no hub (${sign}): a sign-in page of the network, or a wrong `
      + "address. No change is lost.");
}

/** @param {Response} response @param {string} type @returns {Promise<Response>} */
async function answered(response, type) {
  if (response.status !== 200) throw await refusal(response);
  if (hasType(response, type)) return response;
  await response.body?.cancel();
  throw notOurServer(`content type ${(response.headers.get("content-type") ?? "").slice(0, 60)}`);
}

/** @param {Response} response @returns {Promise<MoorageError>} */
async function refusal(response) {
  const { status } = response;
  const header = Number(response.headers.get("retry-after") ?? NaN);
  const retryAfter = Number.isSafeInteger(header) ? header : undefined;
  if (hasType(response, "application/json")) {
    try {
      const error = decode(hubError, await wholeText(response, MAXIMUM_ERROR));
      if (error.code === "unauthorized") return notAuthorized();
      return hubFailed({ ...error, retryAfter: retryAfter ?? error.retryAfter });
    } catch (error) {
      if (!(error instanceof MoorageError) || error.code === "unreachable") throw error;
      // The JSON is not the hub's, so the status has to do.
    }
  } else {
    await response.body?.cancel();
  }
  if (status === 401 || status === 403) return notAuthorized();
  if (status === 413) {
    return new MoorageError(
      "tooLarge", "The hub, or a proxy before it, does not accept a request of this size. No "
        + "change is lost. Ask whoever runs the hub to raise its limit.");
  }
  if ([408, 429].includes(status) || status >= 500) {
    return new MoorageError(
      "busy", `The hub answered with status ${status}. No change is lost.`,
      { retryAfter: seconds(retryAfter) });
  }
  return notOurServer(`status ${status}`);
}

// MARK: Bodies

function tooLarge() {
  return new MoorageError(
    "tooLarge",
    "The answer, or one row of it, is larger than this device accepts. The rest of it was not "
      + "applied. Leave columns with large values out of the list's columns, or ask whoever runs the "
      + "hub to lower pageBytes.");
}

/**
 * @param {Response} response
 * @param {() => number} silence
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<Uint8Array>}
 */
async function* chunks(response, silence, signal) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  try {
    for (;;) {
      const { done, value } = await within(reader.read(), silence(), signal);
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw isAbort(error) || error instanceof MoorageError ? error
      : unreachable("the connection broke before the answer's end", error);
  }
}

function silent() { return unreachable("the hub was silent for longer than it announced"); }

/**
 * A read that ends in any case: Node does not always end one whose request was aborted.
 *
 * @template T
 * @param {Promise<T>} promise
 * @param {number} limit
 * @param {AbortSignal} [signal]
 * @param {() => Error} [late]
 * @returns {Promise<T>}
 */
export function within(promise, limit, signal, late = silent) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(reject, late()), limit);
    const end = () => finish(reject, aborted());
    /** @param {(result: any) => void} done @param {unknown} result */
    function finish(done, result) {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      done(result);
    }
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
    promise.then((value) => finish(resolve, value), (error) => finish(reject, error));
  });
}

/** @param {Uint8Array[]} parts */
function textOf(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed("", "invalid UTF-8");
  }
}

/** @param {Response} response @param {number} limit @param {AbortSignal} [signal] */
async function wholeText(response, limit, signal) {
  /** @type {Uint8Array[]} */
  const parts = [];
  let size = 0;
  for await (const chunk of chunks(response, () => SILENCE, signal)) {
    size += chunk.length;
    if (size > limit) throw tooLarge();
    parts.push(chunk);
  }
  return textOf(parts);
}

/**
 * The lines of an answer. Part of a line before the connection broke is no frame.
 *
 * @param {Response} response
 * @param {number} limit Of the whole answer.
 * @param {() => number} silence
 * @param {AbortSignal} [signal]
 */
async function* lines(response, limit, silence, signal) {
  /** @type {Uint8Array[]} */
  let parts = [];
  let lineSize = 0;
  let size = 0;
  for await (const chunk of chunks(response, silence, signal)) {
    size += chunk.length;
    let start = 0;
    for (let end; (end = chunk.indexOf(0x0a, start)) >= 0; start = end + 1) {
      parts.push(chunk.subarray(start, end));
      yield textOf(parts);
      parts = [];
      lineSize = 0;
    }
    const rest = chunk.subarray(start);
    parts.push(rest);
    lineSize += rest.length;
    if (lineSize > MAXIMUM_FRAME || size > limit) throw tooLarge();
  }
}
