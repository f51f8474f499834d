// The files of Tests/WireVectors, which the tests in Swift read, too.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decode, row } from "../src/codec.js";
import * as frames from "../src/frames.js";
import { parseJSON } from "../src/json.js";
import * as messages from "../src/messages.js";
import {
  areEqual, columnType, fromWire, normalValue, readValue, writeValue,
} from "../src/values.js";

const codecs = {
  values: row,
  "exchange-request": messages.exchangeRequest,
  batch: messages.batch,
  cursor: messages.cursor,
  frame: frames.frame,
  "compare-request": messages.compareRequest,
  "compare-answer": messages.compareAnswer,
  "schema-answer": messages.schemaAnswer,
  error: frames.hubError,
};

/** The lines of a file that are no comments. */
function vectors(name, count) {
  const file = readFileSync(
    new URL(`../../../Tests/WireVectors/${name}.tsv`, import.meta.url), "utf8");
  const lines = file.split("\n").map((line, index) => ({
    place: `${name}.tsv:${index + 1}`, line, fields: line.split("\t"),
  })).filter(({ line }) => line !== "" && !line.startsWith("#"));
  assert.ok(lines.length > 0 && lines.every(({ fields }) => fields.length === count));
  return lines;
}

const written = (kind, text) => codecs[kind].write(decode(codecs[kind], text));
const value = (text) => readValue(parseJSON(text), "");

test("messages come back byte for byte", () => {
  const lines = vectors("exact", 2);
  assert.deepEqual(new Set(lines.map(({ fields }) => fields[0])), new Set(Object.keys(codecs)));
  for (const { place, fields: [kind, text] } of lines) {
    assert.equal(written(kind, text), text, place);
  }
});

test("messages may be read in several forms, and are written in one", () => {
  for (const { place, fields: [kind, given, text] } of vectors("read", 3)) {
    assert.equal(written(kind, given), text, place);
  }
});

test("what is no message is refused", () => {
  for (const { place, fields: [kind, text] } of vectors("refused", 2)) {
    assert.throws(() => written(kind, text), { code: "malformed" }, place);
  }
});

test("values have the normal forms of the hub", () => {
  for (const { place, fields: [name, given, normal] } of vectors("normal", 3)) {
    assert.equal(writeValue(normalValue(columnType(name), value(given))), normal, place);
  }
});

test("values are equal where the hub says so", () => {
  for (const { place, fields: [name, left, right, answer] } of vectors("equal", 4)) {
    const type = columnType(name);
    const [one, other] = [left, right].map((text) => fromWire(type, value(text)));
    assert.equal(areEqual(type, one, other), answer === "equal", place);
    assert.equal(areEqual(type, other, one), answer === "equal", place);
  }
});
