// JSON as docs/reference/protocol.md (2) wants it. `JSON.parse` would round 64-bit integers, lose
// the difference between 5 and 5.0, and accept members that are there twice.
//
// An integer is a Number where that is exact, otherwise a BigInt. A real is a `Real`.

/** A number that was written with a point or an exponent. */
export class Real {
  /**
   * @param {number} value
   * @param {string} [text] As it was written, which may have more digits.
   */
  constructor(value, text) {
    this.value = value;
    this.text = text;
  }
}

/** Deeper nesting is refused: the reader is recursive. */
const MAXIMUM_DEPTH = 64;
/** No integer of the protocol is longer; a longer one is read as a real. */
const MAXIMUM_DIGITS = 40;

/** Why a text is not JSON that the protocol accepts. The message never quotes the text. */
export class JSONError extends Error {}

/**
 * @param {string} text
 * @returns {unknown} `null`, a boolean, a Number, a BigInt, a `Real`, a string, an array, or an
 *   object without a prototype.
 */
export function parseJSON(text) {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.skipSpace();
  if (reader.index !== text.length) throw reader.error("text after the document");
  return value;
}

class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.index = 0;
  }

  /** @param {string} what */
  error(what) { return new JSONError(`${what}, ${this.index} characters from the start`); }

  skipSpace() {
    for (;;) {
      const code = this.text.charCodeAt(this.index);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.index += 1;
    }
  }

  /** @param {number} depth @returns {unknown} */
  value(depth) {
    if (depth > MAXIMUM_DEPTH) throw this.error("nested too deeply");
    this.skipSpace();
    switch (this.text[this.index]) {
      case undefined: throw this.error("the document ends too early");
      case "{": return this.object(depth);
      case "[": return this.array(depth);
      case '"': return this.string();
      case "n": return this.literal("null", null);
      case "t": return this.literal("true", true);
      case "f": return this.literal("false", false);
      default: return this.number();
    }
  }

  /** @param {string} word @param {unknown} value */
  literal(word, value) {
    if (!this.text.startsWith(word, this.index)) throw this.error("not a value");
    this.index += word.length;
    return value;
  }

  /** @param {string} character */
  consume(character) {
    if (this.text[this.index] !== character) return false;
    this.index += 1;
    return true;
  }

  /** @param {number} depth */
  array(depth) {
    /** @type {unknown[]} */
    const elements = [];
    this.index += 1;
    this.skipSpace();
    if (this.consume("]")) return elements;
    for (;;) {
      elements.push(this.value(depth + 1));
      this.skipSpace();
      if (this.consume("]")) return elements;
      if (!this.consume(",")) throw this.error("a comma or the end of the array is missing");
    }
  }

  /** @param {number} depth */
  object(depth) {
    // Without a prototype, so that no name means anything but a member.
    const members = Object.create(null);
    this.index += 1;
    this.skipSpace();
    if (this.consume("}")) return members;
    for (;;) {
      this.skipSpace();
      if (this.text[this.index] !== '"') throw this.error("a member's name is missing");
      const name = this.string();
      // With two members of one name, two readers could read two different things.
      if (name in members) throw this.error("a member is there twice");
      this.skipSpace();
      if (!this.consume(":")) throw this.error("a colon is missing");
      members[name] = this.value(depth + 1);
      this.skipSpace();
      if (this.consume("}")) return members;
      if (!this.consume(",")) throw this.error("a comma or the end of the object is missing");
    }
  }

  string() {
    const { text } = this;
    const start = this.index + 1;
    let end = start;
    for (;;) {
      const code = text.charCodeAt(end);
      if (code === 0x22) break;
      if (code === 0x5c) return this.escapedString(start, end);
      if (!(code >= 0x20)) {
        this.index = end;
        throw this.error("a string does not end, or has a control character");
      }
      end += 1;
    }
    this.index = end + 1;
    return text.slice(start, end);
  }

  /** @param {number} start @param {number} firstEscape */
  escapedString(start, firstEscape) {
    const { text } = this;
    let result = text.slice(start, firstEscape);
    this.index = firstEscape;
    for (;;) {
      const code = text.charCodeAt(this.index);
      if (code === 0x22) break;
      if (code === 0x5c) {
        result += this.escape();
        continue;
      }
      if (!(code >= 0x20)) throw this.error("a string does not end, or has a control character");
      result += text[this.index];
      this.index += 1;
    }
    this.index += 1;
    return result;
  }

  escape() {
    const letter = this.text[this.index + 1];
    const plain = ESCAPES[letter];
    if (plain !== undefined) {
      this.index += 2;
      return plain;
    }
    if (letter !== "u") throw this.error("an escape that JSON does not have");
    const first = this.codeUnit();
    if (first >= 0xdc00 && first <= 0xdfff) throw this.error("a lone surrogate");
    if (first < 0xd800 || first > 0xdbff) return String.fromCharCode(first);
    if (!this.text.startsWith("\\u", this.index)) throw this.error("a lone surrogate");
    const second = this.codeUnit();
    if (second < 0xdc00 || second > 0xdfff) throw this.error("a lone surrogate");
    return String.fromCharCode(first, second);
  }

  codeUnit() {
    const digits = this.text.slice(this.index + 2, this.index + 6);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.error("an escape without four digits");
    this.index += 6;
    return Number.parseInt(digits, 16);
  }

  number() {
    NUMBER.lastIndex = this.index;
    const match = NUMBER.exec(this.text);
    if (match === null) throw this.error("not a value");
    const [token, fraction, exponent] = match;
    this.index += token.length;
    if (/[0-9.]/.test(this.text[this.index] ?? "")) throw this.error("not a number");
    if (fraction === undefined && exponent === undefined && token.length <= MAXIMUM_DIGITS) {
      const number = Number(token);
      return Number.isSafeInteger(number) ? number + 0 : BigInt(token);
    }
    return new Real(Number(token), token);
  }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;

/** @type {Record<string, string | undefined>} */
const ESCAPES = {
  '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t",
};

// MARK: Writing

/** @param {string} text Well-formed. */
export function jsonString(text) {
  if (!NEEDS_ESCAPE.test(text)) return `"${text}"`;
  const escaped = text.replace(NEEDS_ESCAPES, (character) =>
    character === '"' || character === "\\"
      ? `\\${character}`
      : `\\u00${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `"${escaped}"`;
}

// eslint-disable-next-line no-control-regex
const NEEDS_ESCAPE = /["\\\u0000-\u001f]/;
// eslint-disable-next-line no-control-regex
const NEEDS_ESCAPES = /["\\\u0000-\u001f]/g;

/**
 * A finite real: the shortest text that reads back to the same 64 bits, always with a point or an
 * exponent. It is the text that the Swift library writes.
 *
 * @param {number} number
 */
export function realText(number) {
  if (Object.is(number, -0)) return "-0.0";
  const [digits, power] = number.toExponential().split("e");
  const exponent = Number(power);
  if (number !== 0 && (exponent < -4 || exponent >= 16)) {
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${digits}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  const text = String(number);
  return text.includes(".") ? text : `${text}.0`;
}

/** Whether a text has no lone surrogates, so that UTF-8 can express it. */
export function isWellFormed(/** @type {string} */ text) {
  // With the flag, a pair of surrogates is one character.
  return !/[\ud800-\udfff]/u.test(text);
}

/** Compares texts by the bytes of their UTF-8. */
export function compareTexts(/** @type {string} */ left, /** @type {string} */ right) {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Surrogates are of characters that come after all others. */
function rank(/** @type {number} */ codeUnit) {
  return codeUnit >= 0xd800 && codeUnit <= 0xdfff ? codeUnit + 0x2800 : codeUnit;
}
