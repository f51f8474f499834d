// Values as an app has them, and as they travel.
//
// | type                        | in an app                                  | on the wire    |
// |-----------------------------|--------------------------------------------|----------------|
// | integer                     | Number where it is exact, otherwise BigInt | integer        |
// | boolean                     | true, false                                | 1, 0           |
// | real                        | Number                                     | real           |
// | decimal, dates, times, json | string                                     | text           |
// | text, uuid                  | string                                     | text           |
// | blob                        | Uint8Array                                 | {"b": base64}  |
//
// A central SQLite database may have a value of another class in a column. It keeps its class here.

import { decodeBase64, encodeBase64 } from "./base64.js";
import { normalDate, normalTime, normalTimestamp } from "./calendar.js";
import { decimalText, readDecimal } from "./decimal.js";
import { malformed } from "./errors.js";
import { compareTexts, isWellFormed, jsonString, parseJSON, Real, realText } from "./json.js";

/** @typedef {null | boolean | number | bigint | string | Uint8Array} Value A value in an app. */
/** @typedef {null | number | bigint | Real | string | Uint8Array} WireValue */

/** @typedef {{ name: string, kind: string, digits: number }} ColumnType */

const KINDS = new Set([
  "integer", "boolean", "real", "decimal", "text", "blob", "uuid", "date", "json",
]);

/** @type {Map<string, ColumnType>} */
const known = new Map();

/** @param {string} name As the protocol names it. @returns {ColumnType | null} */
export function columnType(name) {
  const found = known.get(name);
  if (found !== undefined) return found;
  const match = /^(time|timestamp|instant)\(([0-9])\)$/.exec(name);
  if (match === null && !KINDS.has(name)) return null;
  const type = { name, kind: match === null ? name : match[1], digits: Number(match?.[2] ?? 0) };
  known.set(name, type);
  return type;
}

/** The type of a column before the hub's schema is known: its values stay as the app wrote them. */
export const UNKNOWN = { name: "unknown", kind: "unknown", digits: 0 };

const MINIMUM = -(2n ** 63n);
const MAXIMUM = 2n ** 63n - 1n;

/** @param {unknown} value */
function isInteger64(value) {
  return Number.isSafeInteger(value)
    || (typeof value === "bigint" && value >= MINIMUM && value <= MAXIMUM);
}

// MARK: JSON

/**
 * Reads a value of a message.
 *
 * @param {unknown} json What `parseJSON` returned.
 * @param {string} path
 * @returns {WireValue}
 */
export function readValue(json, path) {
  if (json === null || typeof json === "string" || typeof json === "number") return json;
  if (json instanceof Real) {
    if (Number.isFinite(json.value)) return json;
    throw malformed(path, "no 64-bit real");
  }
  if (typeof json === "bigint") {
    if (isInteger64(json)) return json;
    throw malformed(path, "an integer beyond 64 bits");
  }
  if (typeof json === "object" && !Array.isArray(json)) {
    const [[name, text] = [], ...more] = Object.entries(json);
    if (more.length === 0 && typeof text === "string") {
      const bytes = name === "b" ? decodeBase64(text) : null;
      if (bytes !== null) return bytes;
      if (name === "r" && text in NAMED_REALS) return new Real(NAMED_REALS[text]);
    }
  }
  throw malformed(path, "no value");
}

/** @type {Record<string, number>} */
const NAMED_REALS = Object.assign(
  Object.create(null), { nan: Number.NaN, inf: Infinity, "-inf": -Infinity });

/** @param {WireValue} value */
export function writeValue(value) {
  if (value === null) return "null";
  if (typeof value === "string") return jsonString(value);
  if (value instanceof Real) return writeReal(value.value);
  if (value instanceof Uint8Array) return `{"b":"${encodeBase64(value)}"}`;
  return String(value);
}

/** @param {number} number */
function writeReal(number) {
  if (Number.isFinite(number)) return realText(number);
  return `{"r":"${Number.isNaN(number) ? "nan" : number > 0 ? "inf" : "-inf"}"}`;
}

// MARK: Between app and wire

/** @param {ColumnType} type @param {WireValue} value @returns {Value} */
export function fromWire(type, value) {
  if (value instanceof Real) return value.value;
  if (typeof value !== "number" && typeof value !== "bigint") return value;
  if (type.kind === "boolean") return value != 0;
  // In a column of texts, a BigInt is an integer and a Number is a real.
  return NUMERIC.has(type.kind) ? value : BigInt(value);
}

/** @param {ColumnType} type @param {Value} value @returns {WireValue} */
export function toWire(type, value) {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "bigint") return shortInteger(value);
  if (typeof value !== "number") return value;
  // An integer that came in a column of reals has as a real the same meaning.
  const isInteger = NUMERIC.has(type.kind) && type.kind !== "real" && Number.isSafeInteger(value);
  return isInteger ? value + 0 : new Real(value);
}

const NUMERIC = new Set(["integer", "real", "unknown"]);

// MARK: What an app may write

/** What a value should have been, as a part of a sentence. */
export class NotOfType extends Error {}

/**
 * The value as the replica stores it. Throws the reason for a value that is not of the type.
 *
 * @param {ColumnType} type
 * @param {unknown} value
 * @returns {Value}
 * @throws {NotOfType}
 */
export function checkedValue(type, value) {
  if (value === null) return null;
  switch (type.kind) {
    case "unknown": return checkedUnknown(value);
    case "integer":
      if (!isInteger64(value)) throw new NotOfType("an integer of 64 bits");
      return shortInteger(/** @type {number | bigint} */ (value));
    case "boolean":
      if (typeof value !== "boolean") throw new NotOfType("true or false");
      return value;
    case "real":
      if (typeof value !== "number" || !Number.isFinite(value)) {
        throw new NotOfType("a finite number");
      }
      return value;
    case "decimal":
      // A number with a fraction is a binary one, and may have lost digits already.
      if (isInteger64(value)) return String(value);
      if (typeof value !== "string" || readDecimal(value) === null) {
        throw new NotOfType("a decimal number in a string, such as \"9.80\"");
      }
      return value;
    case "blob":
      if (!(value instanceof Uint8Array)) throw new NotOfType("a Uint8Array");
      return Uint8Array.from(value);
    default: return checkedText(type, value);
  }
}

/** @param {ColumnType} type @param {unknown} value */
function checkedText(type, value) {
  if (typeof value !== "string") throw new NotOfType("a string");
  if (!isWellFormed(value)) throw new NotOfType("a string without lone surrogates");
  if (type.kind === "text") return value;
  if (type.kind === "json") {
    if (canonicalJSON(value) === null) throw new NotOfType("JSON in a string");
    return value;
  }
  if (normalText(type, value) === null) throw new NotOfType(`a ${type.kind} in a string`);
  return type.kind === "uuid" ? value.toLowerCase() : value;
}

/** @param {unknown} value @returns {Value} */
function checkedUnknown(value) {
  if (typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "bigint" && isInteger64(value)) return shortInteger(value);
  if (typeof value === "string" && isWellFormed(value)) return value;
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  throw new NotOfType("null, a boolean, a number, a BigInt, a string or a Uint8Array");
}

/** @param {number | bigint} value @returns {number | bigint} */
function shortInteger(value) {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number + 0 : value;
}

/**
 * A value of another type, or of an unknown one, in the form of this type. Where the type has no
 * such form, it is the value itself.
 *
 * @param {ColumnType} type
 * @param {Value} value
 * @returns {Value}
 */
export function converted(type, value) {
  try {
    return checkedValue(type, value);
  } catch {
    const other = convertedForm(type, value);
    try {
      return other === undefined ? value : checkedValue(type, other);
    } catch {
      return value;
    }
  }
}

/** @param {ColumnType} type @param {Value} value @returns {Value | undefined} */
function convertedForm(type, value) {
  if (type.kind === "boolean" && (value === 0 || value === 1)) return value === 1;
  if (type.kind === "integer" && typeof value === "boolean") return value ? 1 : 0;
  if (type.kind === "integer" && typeof value === "string") {
    return /^(0|-?[1-9][0-9]{0,18})$/.test(value) ? BigInt(value) : undefined;
  }
  if (type.kind === "real" && typeof value === "string") {
    const decimal = readDecimal(value);
    const number = Number(value);
    // Only where nothing is rounded.
    if (decimal === null || !Number.isFinite(number)) return undefined;
    const back = readDecimal(realText(number));
    return back !== null && decimalText(back) === decimalText(decimal) ? number : undefined;
  }
  if (type.kind === "text" && (typeof value === "number" || typeof value === "bigint")) {
    return String(value);
  }
  return undefined;
}

// MARK: Normal forms

/**
 * The normal form of a text of this type; `null` for text that is not of the type.
 *
 * @param {ColumnType} type
 * @param {string} text
 */
function normalText(type, text) {
  switch (type.kind) {
    case "decimal": {
      const decimal = readDecimal(text);
      return decimal === null ? null : decimalText(decimal);
    }
    case "uuid":
      return UUID.test(text) ? text.toLowerCase() : null;
    case "date": return normalDate(text);
    case "time": return normalTime(text, type.digits);
    case "timestamp": return normalTimestamp(text, type.digits, false);
    case "instant": return normalTimestamp(text, type.digits, true);
    default: return text;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The one form that all equal values of a type share, as it travels in keys.
 *
 * @param {ColumnType} type
 * @param {WireValue} value
 * @returns {WireValue}
 */
export function normalValue(type, value) {
  if (typeof value === "string") {
    if (type.kind === "boolean") return BOOLEAN_TEXTS[value] ?? value;
    return normalText(type, value) ?? value;
  }
  if (value instanceof Real) return normalReal(type, value);
  if (value instanceof Uint8Array) {
    return type.kind === "uuid" && value.length === 16 ? uuidText(value) : value;
  }
  if (value === null) return null;
  if (type.kind === "boolean") return value == 0 ? 0 : 1;
  if (type.kind === "real") return BigInt(Number(value)) == value ? new Real(Number(value)) : value;
  if (type.kind === "decimal") return normalText(type, String(value));
  return value;
}

/** @type {Record<string, number | undefined>} */
const BOOLEAN_TEXTS = Object.assign(
  Object.create(null), { true: 1, t: 1, 1: 1, false: 0, f: 0, 0: 0 });

/** @param {ColumnType} type @param {Real} real @returns {WireValue} */
function normalReal(type, { value }) {
  if (type.kind === "decimal" && Number.isFinite(value)) return normalText(type, realText(value));
  if (type.kind === "integer" && Number.isInteger(value) && isInteger64(BigInt(value))) {
    return shortInteger(BigInt(value));
  }
  return new Real(type.kind === "real" ? value + 0 : value);
}

/** @param {Uint8Array} bytes */
export function uuidText(bytes) {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
    .join("-");
}

/** A text that two values share exactly when they are equal. @param {ColumnType} type */
export function equalityText(type, /** @type {Value} */ value) {
  const wire = toWire(type, value);
  if (type.kind === "json" && typeof wire === "string") {
    const structure = canonicalJSON(wire);
    return structure === null ? jsonString(wire) : `json:${structure}`;
  }
  return writeValue(normalValue(type, wire));
}

/** Whether two values of a column mean the same (docs/reference/types.md).
 *
 * @param {ColumnType} type
 * @param {Value} left
 * @param {Value} right
 */
export function areEqual(type, left, right) {
  return Object.is(left, right) || equalityText(type, left) === equalityText(type, right);
}

/** Whether two values are the same, byte for byte. @param {Value} left @param {Value} right */
export function areSame(left, right) {
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    return left.length === right.length && left.every((byte, index) => byte === right[index]);
  }
  return Object.is(left, right);
}

/** JSON by its structure: sorted members, numbers by value; `null` for text that is no JSON. */
function canonicalJSON(/** @type {string} */ text) {
  try {
    return canonical(parseJSON(text));
  } catch {
    return null;
  }
}

/** @param {unknown} json @returns {string} */
function canonical(json) {
  if (Array.isArray(json)) return `[${json.map(canonical).join(",")}]`;
  if (json instanceof Real) return canonicalNumber(json.text ?? realText(json.value));
  if (typeof json === "object" && json !== null) {
    const names = Object.keys(json).sort(compareTexts);
    const members = /** @type {Record<string, unknown>} */ (json);
    return `{${names.map((name) => `${jsonString(name)}:${canonical(members[name])}`).join(",")}}`;
  }
  if (typeof json === "string") return jsonString(json);
  if (typeof json === "number" || typeof json === "bigint") return canonicalNumber(String(json));
  return String(json);
}

/** @param {string} text */
function canonicalNumber(text) {
  const decimal = readDecimal(text);
  return decimal === null ? text : decimalText(decimal);
}

/** How many bytes a value takes. @param {WireValue | Value} value */
export function byteCount(value) {
  if (typeof value === "string") return encoder.encode(value).length;
  return value instanceof Uint8Array ? value.length : 8;
}

const encoder = new TextEncoder();
