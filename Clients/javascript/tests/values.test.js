// JSON, values and normal forms, by docs/reference/protocol.md (2) and docs/reference/types.md.

import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBase64, encodeBase64 } from "../src/base64.js";
import { compareDecimals, readDecimal } from "../src/decimal.js";
import { compareTexts, isWellFormed, jsonString, parseJSON, Real, realText } from "../src/json.js";
import {
  areEqual, checkedValue, columnType, converted, fromWire, normalValue, readValue, toWire,
  writeValue,
} from "../src/values.js";
import { random } from "./support/random.js";

const type = (name) => columnType(name);

test("integers are exact, and reals differ from them", () => {
  assert.equal(parseJSON("9007199254740991"), 9007199254740991);
  assert.equal(parseJSON("9007199254740993"), 9007199254740993n);
  assert.equal(parseJSON("-9223372036854775808"), -9223372036854775808n);
  assert.equal(Object.is(parseJSON("-0"), 0), true);
  assert.ok(parseJSON("5.0") instanceof Real);
  assert.ok(parseJSON("5e0") instanceof Real);
  assert.throws(() => readValue(parseJSON("9223372036854775808"), "x"), { code: "malformed" });
  assert.throws(() => readValue(parseJSON("1e999"), "x"), { code: "malformed" });
});

test("JSON that two readers could read in two ways is refused", () => {
  const bad = [
    "", "{", "[1,]", "[1 2]", '{"a":1,"a":2}', "01", "1.", ".5", "+1", "1e", "NaN", "tru", "'a'",
    '"\\x"', '"\\u12"', '"\\ud800"', '"\\udc00"', '"\\ud800\\u0041"', '"a\nb"', '"a', "[1]]",
    "\ufeff1", `${"[".repeat(66)}${"]".repeat(66)}`, '{"a" 1}', "{a:1}", "1 2", "-", "--1",
  ];
  for (const text of bad) assert.throws(() => parseJSON(text), /characters from the start/, text);
  assert.deepEqual(parseJSON(` { "a" : [ null , true ] , "__proto__" : 1 } `).a, [null, true]);
  assert.equal(Object.keys(parseJSON('{"__proto__":1}'))[0], "__proto__");
  assert.equal(parseJSON('"\\ud83d\\ude00\\/\\u00e9"'), "\u{1f600}/é");
  parseJSON(`${"[".repeat(65)}${"]".repeat(65)}`);
});

test("any text comes back, and only what must be is escaped", () => {
  assert.equal(jsonString('"\\\u0000\n\u001fé\u007f'), '"\\"\\\\\\u0000\\u000a\\u001fé\u007f"');
  const next = random(7);
  for (let count = 0; count < 2_000; count += 1) {
    const text = String.fromCodePoint(...Array.from({ length: next(8) }, () =>
      [next(40), 0x20 + next(95), 0xe000 + next(100), 0x1f600 + next(50)][next(4)]));
    assert.equal(parseJSON(jsonString(text)), text);
  }
});

test("a real has the shortest text that reads back, with a point or an exponent", () => {
  const texts = [
    [5, "5.0"], [0.5, "0.5"], [1e-5, "1e-05"], [0.0001, "0.0001"], [1e16, "1e+16"], [-0, "-0.0"],
    [9007199254740991, "9007199254740991.0"], [5e-324, "5e-324"],
    [1.7976931348623157e308, "1.7976931348623157e+308"],
    [0.30000000000000004, "0.30000000000000004"],
  ];
  for (const [number, text] of texts) assert.equal(realText(number), text);
  const next = random(3);
  const bits = new DataView(new ArrayBuffer(8));
  for (let count = 0; count < 5_000; count += 1) {
    bits.setUint32(0, next(2 ** 32));
    bits.setUint32(4, next(2 ** 32));
    const number = bits.getFloat64(0);
    if (!Number.isFinite(number)) continue;
    const read = parseJSON(realText(number));
    assert.ok(read instanceof Real && Object.is(read.value, number), String(number));
  }
});

test("blobs travel in base64 of one form alone", () => {
  const next = random(5);
  for (let size = 0; size < 40; size += 1) {
    const bytes = Uint8Array.from({ length: size }, () => next(256));
    assert.equal(encodeBase64(bytes), Buffer.from(bytes).toString("base64"));
    assert.deepEqual(decodeBase64(encodeBase64(bytes)), bytes);
  }
  for (const text of ["A", "AA", "AAA", "AA=A", "AB==", "AAB=", "A A=", "AA\n=", "====", "é==="]) {
    assert.equal(decodeBase64(text), null, text);
  }
});

test("every value of every type comes back as it was", () => {
  const values = [
    null, 0, 1, -1, 9007199254740991, 9007199254740993n, -9223372036854775808n, new Real(0.1),
    new Real(-0), new Real(5), new Real(1e300), new Real(Infinity), "", "text", "9.80",
    new Uint8Array(0), Uint8Array.of(1, 2, 255),
  ];
  const names = [
    "integer", "boolean", "real", "decimal", "text", "blob", "uuid", "date", "time(3)",
    "timestamp(6)", "instant(0)", "json",
  ];
  for (const name of names) {
    for (const value of values) {
      const back = toWire(type(name), fromWire(type(name), value));
      // What comes back is the same, or equal by the column's type.
      const isSame = writeValue(back) === writeValue(value);
      const isEqual = writeValue(normalValue(type(name), back))
        === writeValue(normalValue(type(name), value));
      assert.ok(isSame || isEqual, `${name}: ${writeValue(value)} became ${writeValue(back)}`);
    }
  }
});

test("the normal form of each type", () => {
  const cases = [
    ["integer", new Real(5), 5], ["integer", "5", "5"], ["integer", new Real(5.5), new Real(5.5)],
    ["boolean", 7, 1], ["boolean", 0, 0], ["boolean", "t", 1], ["boolean", "false", 0],
    ["real", 3, new Real(3)], ["real", new Real(-0), new Real(0)],
    ["real", 9007199254740993n, 9007199254740993n],
    ["decimal", "9.80", "9.8"], ["decimal", "98e-1", "9.8"], ["decimal", "-0.050", "-0.05"],
    ["decimal", "+1200", "1200"], ["decimal", "-0", "0"], ["decimal", "1e79", `1${"0".repeat(79)}`],
    ["decimal", "1e80", "0.1e81"], ["decimal", "1e-79", `0.${"0".repeat(78)}1`],
    ["decimal", "1e-80", `0.${"0".repeat(79)}1`],
    ["decimal", "1e-81", "0.1e-80"], ["decimal", ".5", "0.5"], ["decimal", "5.", "5"],
    ["decimal", "1.5.", "1.5."], ["decimal", 5, "5"], ["decimal", new Real(9.8), "9.8"],
    ["uuid", "0F0E0D0C-0B0A-4908-8706-050403020100", "0f0e0d0c-0b0a-4908-8706-050403020100"],
    ["uuid", Uint8Array.from({ length: 16 }, (_, index) => 15 - index),
      "0f0e0d0c-0b0a-0908-0706-050403020100"],
    ["date", "1996-07-04 00:00:00", "1996-07-04"], ["date", "1996-07-04 10:00:00",
      "1996-07-04 10:00:00"], ["date", "2026-02-30", "2026-02-30"],
    ["time(2)", "13:45:00.250", "13:45:00.25"], ["time(0)", "23:59:59.5", "24:00:00"],
    ["time(3)", "13:45", "13:45:00"], ["time(3)", "24:00:00", "24:00:00"],
    ["time(3)", "24:00:01", "24:00:01"],
    ["timestamp(0)", "1996-07-04T13:45:00.5+02:00", "1996-07-04 13:45:01"],
    ["timestamp(3)", "2026-12-31 23:59:59.9996", "2027-01-01 00:00:00"],
    ["timestamp(6)", "9999-12-31 23:59:59.9999999", "9999-12-31 23:59:59.9999999"],
    ["timestamp(6)", "0001-01-01", "0001-01-01 00:00:00"],
    ["instant(6)", "2026-03-29 02:30:00.5+05:45", "2026-03-28 20:45:00.5"],
    ["instant(0)", "0099-12-31 23:59:59-00:00:01", "0100-01-01 00:00:00"],
    ["instant(0)", "0001-01-01 00:00:00+01", "0001-01-01 00:00:00+01"],
    ["text", "9.80", "9.80"], ["blob", Uint8Array.of(1), Uint8Array.of(1)],
  ];
  for (const [name, value, normal] of cases) {
    const found = writeValue(normalValue(type(name), value));
    assert.equal(found, writeValue(normal), `${name} ${writeValue(value)}`);
  }
  // Two texts of the same instant.
  assert.ok(areEqual(type("instant(0)"), "2026-01-01 00:30:00+01:00", "2025-12-31 23:30:00Z"));
});

test("JSON is equal by its structure", () => {
  const json = type("json");
  assert.ok(areEqual(json, '{"a":1,"b":2}', ' {"b":2.0,"a":1e0}'));
  assert.ok(areEqual(json, '"\\u00e9"', '"é"'));
  assert.ok(!areEqual(json, "[1,2]", "[2,1]"));
  assert.ok(!areEqual(json, "12345678901234567890.1", "12345678901234567890.2"));
  assert.ok(!areEqual(json, "no json", "no  json"));
  assert.ok(!areEqual(json, "null", null));
});

test("decimals and texts are ordered by their values and bytes", () => {
  const sorted = ["-1e5", "-9.81", "-9.8", "0", "1e-9", "0.5", "9.80", "10", "1e80"];
  for (const [index, left] of sorted.entries()) {
    for (const [place, right] of sorted.entries()) {
      assert.equal(
        Math.sign(compareDecimals(readDecimal(left), readDecimal(right))), Math.sign(index - place),
        `${left} and ${right}`);
    }
  }
  const texts = ["", "A", "a", "e\u0301", "é", "\uffee", "\u{1f600}"];
  for (const left of texts) {
    for (const right of texts) {
      assert.equal(Math.sign(compareTexts(left, right)),
        Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right))));
    }
  }
  assert.ok(isWellFormed("a\u{1f600}") && !isWellFormed("\ud83d") && !isWellFormed("\ude00a"));
});

test("a value takes another type's form only where nothing is lost", () => {
  const cases = [
    ["integer", "7", 7], ["integer", "07", "07"], ["integer", "7.0", "7.0"],
    ["integer", "9007199254740993", 9007199254740993n], ["integer", true, 1], ["text", 7, "7"],
    ["real", "9.5", 9.5],
    ["real", "0.1000000000000000055", "0.1000000000000000055"], ["boolean", 1, true],
    ["boolean", 2, 2], ["decimal", 7, "7"], ["uuid", "no uuid", "no uuid"], ["date", null, null],
  ];
  for (const [name, value, result] of cases) {
    assert.deepEqual(converted(type(name), value), result, `${name} ${String(value)}`);
  }
  assert.throws(() => checkedValue(type("decimal"), 9.8));
  assert.equal(checkedValue(type("decimal"), 98), "98");
  const bytes = Uint8Array.of(1);
  const stored = checkedValue(type("blob"), bytes);
  bytes[0] = 2;
  assert.deepEqual(stored, Uint8Array.of(1));
});
