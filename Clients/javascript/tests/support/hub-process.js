// A real `moorage serve` on a SQLite database, where MOORAGE_BINARY names the command.

import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const binary = process.env.MOORAGE_BINARY;
/** Why tests with a real server are left out; `false` where they run. */
export const skip = binary ? false : "MOORAGE_BINARY names no command";
export const SECRET = "a-secret-of-the-tests";
const SQL = `
import sqlite3, sys, json
db = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
db.execute("PRAGMA foreign_keys = ON")
db.text_factory = lambda bytes: bytes.decode("utf-8")
cell = lambda value: {"b": value.hex()} if isinstance(value, bytes) else value
for line in sys.stdin:
    try:
        rows = []
        for sql in json.loads(line): rows = db.execute(sql).fetchall()
        print(json.dumps({"rows": [[cell(value) for value in row] for row in rows]}), flush=True)
    except Exception as error:
        print(json.dumps({"error": str(error)}), flush=True)
`;

/** Runs SQL on the central database, as another program of the owner does. */
class CentralDatabase {
  #process;
  #waiting = [];
  #text = "";

  constructor(path) {
    this.#process = spawn("python3", ["-c", SQL, path], { stdio: ["pipe", "pipe", "inherit"] });
    this.#process.stdout.setEncoding("utf8");
    this.#process.stdout.on("data", (text) => {
      this.#text += text;
      for (let end; (end = this.#text.indexOf("\n")) >= 0;) {
        const answer = JSON.parse(this.#text.slice(0, end));
        this.#text = this.#text.slice(end + 1);
        const { resolve, reject } = this.#waiting.shift();
        if (answer.error) reject(new Error(answer.error));
        else resolve(answer.rows);
      }
    });
  }

  /** The rows of the last of some statements. */
  run(...statements) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#process.stdin.write(`${JSON.stringify(statements)}\n`);
    });
  }

  close() {
    this.#process.stdin.end();
    return new Promise((resolve) => { this.#process.once("exit", resolve); });
  }
}

/**
 * @param {string[]} schema Statements that make the tables.
 * @param {string} configuration The content of `moorage.yaml`.
 * @param {(path: string) => void} [prepare] Called before, with the path of the central database.
 */
export async function startHub(schema, configuration, prepare) {
  const folder = mkdtempSync(join(tmpdir(), "moorage-js-"));
  const path = join(folder, "central.db");
  const file = join(folder, "moorage.yaml");
  writeFileSync(file, configuration);
  prepare?.(path);
  let central = new CentralDatabase(path);
  const removeAll = () => {
    central.close();
    rmSync(folder, { recursive: true, force: true });
  };
  await central.run("PRAGMA journal_mode = WAL", ...schema);
  const options = { cwd: folder, env: { ...process.env, MOORAGE_SECRET: SECRET } };
  const run = (...words) => execFileSync(binary, [...words, "--config", file], {
    ...options, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    run("attach", `sqlite:${path}`);
  } catch (error) {
    removeAll();
    throw error;
  }
  let server;
  let port;
  const serve = async () => {
    server = spawn(
      binary, ["serve", `sqlite:${path}`, "--config", file, "--listen", "127.0.0.1:0",
        "--log-level", "warning"], { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    port = await new Promise((resolve, reject) => {
      const read = (chunk) => {
        output += chunk;
        const match = /Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(output);
        if (match) resolve(Number(match[1]));
      };
      server.stdout.on("data", read);
      server.stderr.on("data", read);
      server.on("exit", () => reject(new Error(`the server ended: ${output}`)));
    });
  };
  const stop = () => new Promise((resolve) => {
    if (server.exitCode !== null || server.signalCode !== null) return resolve(undefined);
    server.removeAllListeners("exit");
    server.once("exit", resolve);
    server.kill("SIGKILL");
    return undefined;
  });
  await serve();
  return {
    get central() { return central; },
    /** Another one after each start. */
    get port() { return port; },
    run,
    path,
    /** Copies the central database, as its owner's backups do. @param {string} to */
    async backUp(to) {
      rmSync(to, { force: true });
      await central.run(`VACUUM INTO '${to}'`);
    },
    /** Puts a copy in the place of the central database, which begins a new epoch. */
    async restore(/** @type {string} */ from) {
      await stop();
      await central.close();
      for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
      copyFileSync(from, path);
      central = new CentralDatabase(path);
      await central.run("PRAGMA journal_mode = WAL");
      run("attach", `sqlite:${path}`, "--new-epoch");
      await serve();
    },
    /** Kills the server, and starts it again. */
    async restart() {
      await stop();
      await serve();
    },
    stop,
    serve,
    async close() {
      await stop();
      removeAll();
    },
  };
}
