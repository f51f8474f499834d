// A device in a process of its own, which syncs all the time and ends by `kill -9`:
//
//   fire-device.js FILE URL NAME SEED
//
// It is asked by messages: { id, does: "write" | "content" | "sync" }.

import { appendFileSync } from "node:fs";
import { openReplica } from "../../moorage.js";
import { Editor, LISTED } from "./edits.js";
import { FileStore } from "./file-store.js";
import { SECRET } from "./hub-process.js";
import { content } from "./oracle.js";
import { random } from "./random.js";

const [path, url, name, seed] = process.argv.slice(2);
const next = random(Number(seed));
const editor = new Editor(next, name);

/** Says something, and waits until it is on its way. */
const say = (message) => new Promise((resolve) => {
  process.send(message, () => resolve(undefined));
});

/** What goes over the wire, for whoever looks into a history that failed. */
const trace = (line) => appendFileSync(`${path}.trace`, `${Date.now()} ${line.trimEnd()}\n`);

let told = { sent: 0, replaced: 0 };
/** Tells what goes up before it does. */
async function tell() {
  const [sent, replaced] = [[...editor.sent], [...editor.replaced]];
  const news = { sent: sent.slice(told.sent), replaced: replaced.slice(told.replaced) };
  told = { sent: sent.length, replaced: replaced.length };
  if (news.sent.length + news.replaced.length > 0) await say(news);
}

editor.beforeCommit = tell;

const replica = await openReplica({
  name, url, token: () => SECRET, tables: LISTED, device: { name, appVersion: "1.0" },
  store: new FileStore(path),
  environment: {
    fetch: async (address, init) => {
      editor.observe(init.body);
      await tell();
      trace(`${name} asks ${init.body}`);
      const response = await fetch(address, init);
      // What came, also of an answer that is cut.
      const copy = response.clone().body.pipeThrough(new TextDecoderStream());
      const read = async () => { for await (const text of copy) trace(`${name} gets ${text}`); };
      read().catch(() => {});
      return response;
    },
    pace: { pushDelay: 20, pullInterval: 500, firstRetryDelay: 50, maximumRetryDelay: 400 },
    limits: {
      batch: { rows: 1 + next(6), bytes: 4_000_000 },
      page: { rows: 1 + next(12), bytes: 20_000, pages: 1 + next(3) },
    },
  },
});

const EXPECTED = new Set([
  "unreachable", "notOurServer", "busy", "databaseUnavailable", "shuttingDown",
]);
replica.addEventListener("statuschange", () => {
  const { error } = replica.status;
  // A fault comes with an error that says "again later". Anything else is a finding.
  if (error && !EXPECTED.has(error.code)) say({ problem: `${error.code}: ${error.message}` });
});

const WORK = {
  write: () => editor.write(replica),
  sync: async () => {
    const { isCaughtUp } = await replica.sync();
    return isCaughtUp;
  },
  content: () => content(replica),
};

process.on("message", async ({ id, does }) => {
  try {
    await say({ id, result: await WORK[does]() });
  } catch (error) {
    await say({ id, error: error.code ?? "failed", stack: error.stack });
  }
});
// Without its parent it has nothing to do.
process.on("disconnect", () => process.exit());

replica.start();
await say({ isOpen: true });
