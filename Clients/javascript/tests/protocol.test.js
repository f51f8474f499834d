// Every JSON example of docs/reference/protocol.md, read and written again.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { decode } from "../src/codec.js";
import { Exchange } from "../src/exchange.js";
import * as frames from "../src/frames.js";
import * as messages from "../src/messages.js";

const page = readFileSync(
  new URL("../../../docs/reference/protocol.md", import.meta.url), "utf8");

const codecs = {
  "table-columns": messages.tableColumns,
  "exchange-request": messages.exchangeRequest,
  batch: messages.batch,
  cursor: messages.cursor,
  frame: frames.frame,
  "frame-block": frames.frame,
  "schema-answer": messages.schemaAnswer,
  "compare-request": messages.compareRequest,
  "compare-answer": messages.compareAnswer,
  error: frames.hubError,
};

/** Line breaks, and the space that starts a line that goes on, do not count. */
const examples = [...page.matchAll(/^```json (\S+)\n(.*?)^```$/gms)].map(([, kind, body]) => ({
  kind, text: body.split("\n").map((line) => line.replace(/^ /, "")).join(""),
}));

test("the page has examples of every message", () => {
  assert.deepEqual(
    new Set(examples.map(({ kind }) => kind)), new Set(Object.keys(codecs)));
});

for (const [index, { kind, text }] of examples.entries()) {
  test(`example ${index + 1}, ${kind}, comes back byte for byte`, () => {
    const codec = codecs[kind];
    assert.equal(codec.write(decode(codec, text)), text);
  });
}

test("a refusal that is no message names the place and no value", () => {
  const faults = [
    ['{"end":{"more":1}}', "end.more"],
    ['{"end":{}}', "end"],
    ['{"page":{"since":{},"cursor":{},"caughtUp":true,"removals":[],"tables":[{"table":"t",'
      + '"columns":["a"],"rows":[["secret","secret"]]}],"withheld":[]}}', "page.tables[0]"],
    ['{"nothing":{}}', "the document"],
    ['{"end":{"more":true},"alive":{"time":1}}', "the document"],
    ["{", "the document"],
  ];
  for (const [text, place] of faults) {
    assert.throws(() => decode(frames.frame, text), (error) => {
      assert.equal(error.code, "malformed");
      assert.ok(error.message.includes(` at ${place}:`), error.message);
      assert.ok(!error.message.includes("secret"));
      return true;
    });
  }
});

test("a sign of life brings the hub's time", () => {
  const exchange = new Exchange({
    hub: null, epoch: undefined, batchNumber: null, batchSize: 0, isLive: true,
  });
  const welcome = { hub: "h", epoch: "e", time: 1_000, live: { heartbeat: 10 }, expired: false };
  exchange.received({ kind: "welcome", content: welcome });
  exchange.received({ kind: "page", content: { caughtUp: true } });
  exchange.received({ kind: "alive", content: { time: 2_000 } });
  assert.equal(exchange.hubTime, 2_000);
});

test("older browsers can read the modules", () => {
  const folder = new URL("../src/", import.meta.url);
  for (const name of readdirSync(folder)) {
    // Safari reads a lookbehind since 16.4.
    assert.doesNotMatch(readFileSync(new URL(name, folder), "utf8"), /\(\?<[!=]/, name);
  }
});
