// Describes the form of a message once, for reading and for writing. Members are written in the
// order of their description, which is that of docs/reference/protocol.md.

import { malformed } from "./errors.js";
import { compareTexts, JSONError, jsonString, parseJSON } from "./json.js";
import { readValue, writeValue } from "./values.js";

/**
 * @template T
 * @typedef {{ read: (json: unknown, path: string) => T, write: (value: T) => string }} Codec
 */

/** @type {Codec<string>} */
export const text = {
  read(json, path) {
    if (typeof json !== "string") throw malformed(path, "text is missing");
    return json;
  },
  write: jsonString,
};

/** A count of 64 bits: what a Number rounds is a BigInt. @type {Codec<number | bigint>} */
export const count = {
  read(json, path) {
    const found = integer.read(json, path);
    if (found < 0) throw malformed(path, "a count is missing");
    return found;
  },
  write: String,
};

/** A position or a duration: a count that a Number has exactly. @type {Codec<number>} */
export const small = {
  read(json, path) {
    if (typeof json !== "number" || json < 0) throw malformed(path, "a count is missing");
    return json;
  },
  write: String,
};

/** A signed integer of 64 bits. @type {Codec<number | bigint>} */
export const integer = {
  read(json, path) {
    const value = readValue(json, path);
    if (typeof value !== "number" && typeof value !== "bigint") {
      throw malformed(path, "a 64-bit integer is missing");
    }
    return value;
  },
  write: String,
};

/** @type {Codec<boolean>} */
export const bool = {
  read(json, path) {
    if (typeof json !== "boolean") throw malformed(path, "true or false is missing");
    return json;
  },
  write: String,
};

/** @type {Codec<import("./values.js").WireValue>} */
export const value = { read: readValue, write: writeValue };

/**
 * @template T
 * @param {Codec<T>} element
 * @returns {Codec<T[]>}
 */
export function list(element) {
  return {
    read(json, path) {
      if (!Array.isArray(json)) throw malformed(path, "an array is missing");
      return json.map((one, index) => element.read(one, `${path}[${index}]`));
    },
    write: (values) => `[${values.map(element.write).join(",")}]`,
  };
}

/** @type {Codec<import("./values.js").WireValue[]>} */
export const row = list(value);

/** @type {Codec<import("./values.js").WireValue[]>} */
export const key = {
  read(json, path) {
    const values = row.read(json, path);
    if (values.length === 0) throw malformed(path, "an empty key");
    return values;
  },
  write: row.write,
};

/**
 * An array with elements of different forms.
 *
 * @param {...Codec<any>} parts
 * @returns {Codec<any[]>}
 */
export function tuple(...parts) {
  return {
    read(json, path) {
      if (!Array.isArray(json) || json.length !== parts.length) {
        throw malformed(path, `an array of ${parts.length} elements is missing`);
      }
      return parts.map((part, index) => part.read(json[index], `${path}[${index}]`));
    },
    write: (values) => `[${parts.map((part, index) => part.write(values[index])).join(",")}]`,
  };
}

/** Texts by name, written sorted by bytes. @type {Codec<Record<string, string>>} */
export const texts = {
  read(json, path) {
    const result = Object.create(null);
    for (const [name, member] of Object.entries(objectOf(json, path))) {
      result[name] = text.read(member, `${path}.${name}`);
    }
    return result;
  },
  write(values) {
    const names = Object.keys(values).sort(compareTexts);
    return `{${names.map((name) => `${jsonString(name)}:${jsonString(values[name])}`).join(",")}}`;
  },
};

/** A set of texts, written sorted by bytes. @type {Codec<string[]>} */
export const textSet = {
  read: list(text).read,
  write: (values) => list(text).write([...values].sort(compareTexts)),
};

/** @param {unknown} json @param {string} path @returns {Record<string, unknown>} */
function objectOf(json, path) {
  if (typeof json !== "object" || json === null || Object.getPrototypeOf(json) !== null) {
    throw malformed(path, "an object is missing");
  }
  return /** @type {Record<string, unknown>} */ (json);
}

/**
 * @typedef {{ codec: Codec<any>, isOptional: boolean, empty: (() => unknown) | null }} Member
 */

/** A member that is always there. @param {Codec<any>} codec @returns {Member} */
export function required(codec) { return { codec, isOptional: false, empty: null }; }

/** A member that may be missing; `undefined` then. @param {Codec<any>} codec @returns {Member} */
export function optional(codec) { return { codec, isOptional: true, empty: null }; }

/**
 * A member that is missing for its empty value: false, 0, or a list or object without content.
 *
 * @param {Codec<any>} codec
 * @param {() => unknown} empty
 * @returns {Member}
 */
export function unlessEmpty(codec, empty) { return { codec, isOptional: true, empty }; }

/** @param {unknown} content */
function isEmpty(content) {
  if (content === undefined || content === null) return true;
  return typeof content === "object" ? Object.keys(content).length === 0 : !content;
}

/**
 * An object. It ignores members that it does not know, so that later versions can say more.
 *
 * @param {Record<string, Member>} members
 * @param {(value: any, path: string) => void} [check] Throws for what no message may say.
 * @returns {Codec<any>}
 */
export function object(members, check) {
  const entries = Object.entries(members);
  return {
    read(json, path) {
      const found = objectOf(json, path);
      /** @type {Record<string, unknown>} */
      const result = {};
      for (const [name, { codec, isOptional, empty }] of entries) {
        const member = found[name];
        const place = path === "" ? name : `${path}.${name}`;
        if (isOptional && (member === undefined || member === null)) {
          if (empty !== null) result[name] = empty();
          continue;
        }
        if (member === undefined) throw malformed(path, `the member ${name} is missing`);
        result[name] = codec.read(member, place);
      }
      check?.(result, path);
      return result;
    },
    write(values) {
      /** @type {string[]} */
      const parts = [];
      for (const [name, { codec, isOptional, empty }] of entries) {
        const content = values[name];
        if (isOptional && (empty === null ? content === undefined : isEmpty(content))) continue;
        parts.push(`${jsonString(name)}:${codec.write(content)}`);
      }
      return `{${parts.join(",")}}`;
    },
  };
}

/**
 * Reads a whole document.
 *
 * @template T
 * @param {Codec<T>} codec
 * @param {string} document
 * @returns {T}
 */
export function decode(codec, document) {
  let json;
  try {
    json = parseJSON(document);
  } catch (error) {
    if (!(error instanceof JSONError)) throw error;
    throw malformed("", error.message);
  }
  return codec.read(json, "");
}
