// A SQLite file with the library in Swift, by the commands of `moorage`.

import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { binary, SECRET } from "./hub-process.js";

export class Native {
  /** @param {string} folder @param {string} name */
  constructor(folder, name) {
    this.folder = folder;
    this.file = join(folder, `${name}.db`);
  }

  /** Not in one piece: the process of the tests is the proxy, too. @param {...string} words */
  async run(...words) {
    const { stdout } = await promisify(execFile)(binary, words, {
      cwd: this.folder, env: { ...process.env, MOORAGE_SECRET: SECRET },
    });
    return stdout;
  }

  /** @param {string} url @param {string[]} tables */
  clone(url, tables) {
    return this.run("clone", url, this.file, ...tables.flatMap((one) => ["--table", one]));
  }

  sync() { return this.run("sync", this.file); }

  verify() { return this.run("verify", this.file); }

  /** Writes or reads as an app does: the file's triggers keep the log. */
  sql(...statements) {
    const text = execFileSync(
      "sqlite3", ["-json", "-cmd", ".timeout 30000", this.file, statements.join(";\n")],
      { encoding: "utf8" });
    return text === "" ? [] : JSON.parse(text);
  }

  /** Values among its refused and overruled changes, as texts of JSON. */
  lists() {
    return this.sql("SELECT * FROM _moorage_refused").concat(
      this.sql("SELECT * FROM _moorage_overruled")).map((row) => JSON.stringify(row)).join("\n");
  }
}
