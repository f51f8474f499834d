// Folding, wherever the log was cut: pushing the changes gives the row (invariant M4).

import assert from "node:assert/strict";
import { test } from "node:test";
import { folded } from "../src/fold.js";
import { random } from "./support/random.js";

let seq = 0;
const entry = (kind, more) => ({ kind, at: seq, again: false, seq: (seq += 1), ...more });

/** What a hub makes of a change; it checks that the before-images are what it has. */
function pushed(central, change, row) {
  switch (change.kind) {
    case "insert":
      assert.equal(central, null);
      return { ...row };
    case "update": {
      assert.notEqual(central, null);
      const result = { ...central };
      for (const [column, old] of Object.entries(change.old)) {
        assert.equal(central[column], old);
        result[column] = row[column];
      }
      return result;
    }
    case "delete":
      assert.deepEqual(central, change.row);
      return null;
    default: return central;
  }
}

/** One random local write; returns the row after it. */
function write(next, row) {
  if (row === null) return [entry("insert"), { a: next(5), b: next(5) }];
  if (next(3) === 0) return [entry("delete", { row: { ...row } }), null];
  const column = next(2) === 0 ? "a" : "b";
  return [entry("update", { old: { [column]: row[column] } }), { ...row, [column]: next(5) }];
}

test("10,000 histories of a row, cut at random, give the row", () => {
  for (let seed = 1; seed <= 10_000; seed += 1) {
    const next = random(seed);
    let central = next(2) === 0 ? null : { a: next(5), b: next(5) };
    let row = central && { ...central };
    let log = null;
    for (let step = 0; step < 8; step += 1) {
      let one;
      [one, row] = write(next, row);
      log = folded(log, one);
      if (next(4) === 0) {
        central = pushed(central, log, row);
        log = null;
      }
    }
    if (log !== null) central = pushed(central, log, row);
    assert.deepEqual(central, row, `seed ${seed}`);
  }
});

test("10,000 histories with a batch that goes back into the log give the row", () => {
  for (let seed = 1; seed <= 10_000; seed += 1) {
    const next = random(seed);
    let central = next(2) === 0 ? null : { a: next(5), b: next(5) };
    let row = central && { ...central };
    let sent = null;
    let log = null;
    for (let step = 0; step < 8; step += 1) {
      let one;
      [one, row] = write(next, row);
      log = folded(log, one);
      if (next(3) > 0) continue;
      if (sent === null) {
        [sent, log] = [log, null];
      } else {
        log = log === null ? sent : folded(sent, log);
        sent = null;
      }
    }
    if (sent !== null) log = log === null ? sent : folded(sent, log);
    if (log !== null) central = pushed(central, log, row);
    assert.deepEqual(central, row, `seed ${seed}`);
  }
});

test("an insert that was sent before, and is deleted, becomes a delete of the row as sent", () => {
  const insert = entry("insert", { again: true, sinceSent: {} });
  const updated = folded(insert, entry("update", { old: { a: 1 } }));
  const deleted = folded(updated, entry("delete", { row: { a: 2, b: 3 } }));
  assert.equal(deleted.kind, "delete");
  assert.deepEqual(deleted.row, { a: 1, b: 3 });
  assert.equal(deleted.again, true);
});

test("a row that came and went asks for what the hub has", () => {
  const change = folded(entry("insert"), entry("delete", { row: { a: 1 } }));
  assert.equal(change.kind, "refetch");
});
