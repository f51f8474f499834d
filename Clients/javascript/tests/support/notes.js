// A hub with one table of notes, and replicas of it that are closed after each test.

import { afterEach, mock } from "node:test";
import { device } from "./device.js";
import { ScriptedHub, table } from "./scripted-hub.js";

export const FAST = {
  pushDelay: 5, pullInterval: 60, firstRetryDelay: 10, maximumRetryDelay: 80, updateInterval: 100,
  tabInterval: 20,
};
export const newHub = () => new ScriptedHub([table("notes", { id: "integer!", body: "text" })]);
const opened = [];

export async function running(hub, options = {}) {
  const replica = await device(hub, {
    ...options, environment: { pace: FAST, chance: () => 0.5, ...options.environment },
  });
  opened.push(replica);
  return replica;
}

afterEach(async () => {
  mock.timers.reset();
  for (const replica of opened.splice(0)) await replica.close();
});

export const bodies = async (replica) =>
  (await replica.table("notes").all()).map(({ body }) => body).join();
export const exchanges = (hub) => hub.requests.filter(({ path }) => path === "/v1/exchange");
