// A hub and a replica that has its rows, and what tests say of them.

import assert from "node:assert/strict";
import { device } from "./device.js";
import { ScriptedHub, table } from "./scripted-hub.js";

export const COLUMNS = { id: "integer!", name: "text!", city: "text" };
export const customers = (columns = COLUMNS, more = {}) => table("customers", columns, more);
export const newHub = (...tables) =>
  new ScriptedHub(tables.length > 0 ? tables : [customers()]);

/** A hub and a replica that has its rows. */
export async function synced(hub = newHub(), options = {}) {
  hub.put("customers", [1], [1, "Ann", "Lyon"]);
  const replica = await device(hub, options);
  await replica.sync();
  return { hub, replica, view: replica.table("customers") };
}

export const fails = (promise, code) => assert.rejects(promise, (error) => {
  assert.equal(error.code, code, error.stack);
  return true;
});

/** A script of a hub that changes frames of one kind. */
export const onFrames = (wanted, change) => (frames) => frames.map(({ kind, content }) =>
  ({ kind, content: kind === wanted ? change(content) : content }));
export const onPages = (change) => onFrames("page", change);
