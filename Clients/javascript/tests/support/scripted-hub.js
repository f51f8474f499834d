// A small hub in memory that speaks the protocol, and does what a test wants. It loses answers,
// refuses changes, goes back in its history, and changes its schema. It merges by column. Where
// both sides changed one, `wins` decides.

import { decode } from "../../src/codec.js";
import { frame as frameCodec } from "../../src/frames.js";
import * as messages from "../../src/messages.js";
import { columnType, equalityText, fromWire } from "../../src/values.js";
import { keyText, namesOf, pageOf } from "./scripted-pages.js";

const LIMITS = { batchRows: 10_000, batchBytes: 8_000_000, valueBytes: 16_000_000 };

/** A table of the schema, in short. */
export function table(name, columns, more = {}) {
  return {
    name,
    columns: Object.entries(columns).map(([column, type]) => ({
      name: column, type: type.replace(/[!=].*/, ""), notNull: type.includes("!"),
      ...(type.includes("=") ? { default: [JSON.parse(type.split("=")[1])] } : {}),
      aliases: [], labels: [], generated: false, centralDefault: false, file: false,
    })),
    key: [0],
    unique: [],
    foreign: [],
    aliases: [],
    checks: [],
    indexes: [],
    ...more,
  };
}

export class ScriptedHub {
  id = "6fa9de85-6161-4583-9060-401245a55af9";
  epoch = "epoch 1";
  time = 1_767_225_600_000;
  /** Which side keeps a column that both changed. */
  wins = "server";
  suspended = [];
  rights = undefined;
  unavailable = [];
  keys = new Map();
  user = undefined;
  heartbeat = null;
  copiedAt = undefined;
  /** Whether a column has another type than a replica with the former schema knows. */
  isRetyped = false;
  /** Answers in the place of the hub: a test may return a Response. */
  intercept = async () => undefined;
  /** A refusal `[code, sentence]` of a change; `undefined` where the hub takes it. */
  refuse = () => undefined;
  /** Called with the frames of an answer, which it may change. */
  script = (frames) => frames;
  /** Where the bytes of an answer break off; `Infinity` for a whole one. */
  cut = () => Infinity;
  isExpired = () => false;
  requests = [];
  /** Every change that was applied, as text. */
  applied = [];
  running = 0;
  /** How many exchanges ran at once at most. */
  most = 0;

  constructor(tables) {
    this.tables = tables;
    this.history = { version: 0, rows: new Map(), replicas: new Map() };
    this.streams = new Set();
  }

  get version() { return JSON.stringify(this.tables).length + JSON.stringify(this.tables); }

  // MARK: The central database

  /** Rows are never changed, only replaced. */
  snapshot({ version, rows, replicas } = this.history) {
    return {
      version,
      rows: new Map(rows),
      replicas: new Map([...replicas].map(
        ([id, known]) => [id, { ...known, nonces: new Map(known.nonces) }])),
    };
  }

  /** Puts back an older state under a new epoch. */
  restore(snapshot, epoch) {
    this.history = this.snapshot(snapshot);
    this.epoch = epoch;
  }

  row(name, key) {
    const row = this.history.rows.get(`${name} ${keyText(key)}`);
    return row?.values ?? null;
  }

  rows(name) {
    return [...this.history.rows.values()]
      .filter((row) => row.table === name && row.values).map((row) => row.values);
  }

  /** Writes a row as another program does; `null` deletes it. */
  put(name, key, values) {
    this.set(name, key, values);
    this.feed();
  }

  set(name, key, values) {
    this.history.version += 1;
    const place = `${name} ${keyText(key)}`;
    this.history.rows.set(place, { table: name, key, values, version: this.history.version });
  }

  described(name) { return this.tables.find((one) => one.name === name); }

  // MARK: Requests

  /** In the place of `fetch`. */
  fetch = async (url, init = {}) => {
    const path = new URL(url).pathname;
    const request = init.body === undefined ? null : { text: init.body };
    if (path === "/v1/exchange") request.content = decode(messages.exchangeRequest, init.body);
    this.requests.push({ path, ...request, headers: init.headers });
    if (init.signal?.aborted) throw new DOMException("aborted", "AbortError");
    const other = await this.intercept(path, request?.content, init);
    if (other) return other;
    if (path === "/v1/schema") {
      return json(messages.schemaAnswer.write({
        hub: this.id, version: this.version, tables: this.tables, suspended: [],
      }));
    }
    if (path === "/v1/compare") return this.compare(decode(messages.compareRequest, init.body));
    return this.exchange(request.content, init.signal);
  };

  async exchange(request, signal) {
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    // Other work of the page runs meanwhile.
    await new Promise((resolve) => { setImmediate(resolve); });
    const frames = this.script(this.answer(request), request);
    const last = frames[frames.length - 1];
    const isOpen = request.live && this.heartbeat !== null && last?.kind === "page"
      && last.content.caughtUp;
    const bytes = new TextEncoder().encode(
      frames.map((one) => `${frameCodec.write(one)}\n`).join(""));
    const limit = this.cut(bytes.length, request);
    this.running -= 1;
    if (isOpen) return this.open(bytes, last.content.cursor, request, signal);
    const chunks = [bytes.subarray(0, Math.min(limit, bytes.length))];
    return new Response(new ReadableStream({
      pull(controller) {
        const chunk = chunks.shift();
        if (chunk) controller.enqueue(chunk);
        else if (limit < bytes.length) controller.error(new TypeError("terminated"));
        else controller.close();
      },
    }), { headers: { "content-type": "application/x-ndjson" } });
  }

  /** An answer that stays open. */
  open(bytes, cursor, request, signal) {
    const stream = { cursor, request, controller: null };
    const end = () => {
      this.streams.delete(stream);
    };
    const body = new ReadableStream({
      start: (controller) => {
        stream.controller = controller;
        controller.enqueue(bytes);
        this.streams.add(stream);
      },
      cancel: end,
    });
    signal?.addEventListener("abort", () => {
      if (!this.streams.has(stream)) return;
      end();
      stream.controller.error(new DOMException("aborted", "AbortError"));
    });
    return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
  }

  /** Sends what changed to the open streams. */
  feed() {
    for (const stream of this.streams) {
      const page = this.page(stream.cursor, stream.request, []);
      stream.cursor = page.cursor;
      this.send(stream, { kind: "page", content: page });
    }
  }

  send(stream, frame) {
    stream.controller.enqueue(new TextEncoder().encode(`${frameCodec.write(frame)}\n`));
  }

  /** Ends all streams. */
  end(content = { more: false }) {
    for (const stream of this.streams) {
      this.streams.delete(stream);
      this.send(stream, { kind: "end", content });
      stream.controller.close();
    }
  }

  answer(request) {
    const frames = [{ kind: "welcome", content: this.welcome(request) }];
    const [{ content: welcome }] = frames;
    const end = (more) => [...frames, { kind: "end", content: { more } }];
    const { epoch } = request.cursor;
    const isUnknown = request.tables.some(({ name, columns }) => columns.some(
      (column) => !this.described(name)?.columns.some((one) => namesOf(one).includes(column))));
    if ((epoch !== undefined && epoch !== this.epoch) || welcome.expired) return end(true);
    if (isUnknown && welcome.tables) return end(true);
    let answered = [];
    if (request.batch !== undefined) {
      const batch = messages.decodeBatch(request.batch);
      const outcomes = this.isRetyped && request.schema !== this.version
        ? { number: batch.number, status: "notTaken", list: [] }
        : this.push(request.replica, batch);
      frames.push({ kind: "outcomes", content: outcomes });
      if (["forked", "notTaken"].includes(outcomes.status)) return end(true);
      answered = batch.changes.map((change, index) => ({
        table: batch.tables[change.table].name, key: change.key,
        // No page brings a row that the hub stored just as it was pushed.
        isKnown: change.insert !== undefined && isPlain(outcomes.list[index]),
      }));
    }
    let { cursor } = request;
    let hasMore = true;
    for (let page = 0; page < request.limits.pages && hasMore; page += 1) {
      const content = this.page(cursor, request, answered);
      answered = [];
      frames.push({ kind: "page", content });
      ({ cursor } = content);
      hasMore = !content.caughtUp;
    }
    if (request.live && this.heartbeat !== null && !hasMore) return frames;
    return end(hasMore);
  }

  welcome(request) {
    const keys = (request.keys ?? []).flatMap(({ table: name, left }) => {
      const described = this.described(name);
      if (!described?.keyBlock || left >= described.keyBlock) return [];
      const first = this.keys.get(name) ?? 1_000;
      const last = first + described.keyBlock - 1;
      this.keys.set(name, last + 1);
      return [{ table: name, first, last }];
    });
    return {
      hub: this.id, epoch: this.epoch, time: this.time, schema: this.version,
      tables: request.schema === this.version ? undefined : this.tables,
      expired: this.isExpired(request), suspended: this.suspended, limits: LIMITS,
      user: this.user, live: request.live && this.heartbeat !== null
        ? { heartbeat: this.heartbeat } : undefined,
      keys, rights: this.rights?.version === request.rights ? undefined : this.rights,
      unavailable: this.unavailable, copiedAt: this.copiedAt,
    };
  }

  // MARK: Push

  push(replica, batch) {
    const known = this.history.replicas.get(replica) ?? { number: 0, nonces: new Map() };
    this.history.replicas.set(replica, known);
    const nonce = known.nonces.get(batch.number);
    if (nonce === batch.nonce) {
      const isLast = batch.number === known.number;
      return {
        number: batch.number, status: "alreadyApplied", list: isLast ? known.outcomes : [],
      };
    }
    if (nonce !== undefined || batch.number > known.number + 1) {
      return { number: batch.number, status: "forked", list: [] };
    }
    const isBarred = batch.tables.some(({ name }) =>
      !this.described(name) || this.suspended.some((one) => one.name === name));
    if (isBarred) return { number: batch.number, status: "notTaken", list: [] };
    known.number = batch.number;
    known.nonces.set(batch.number, batch.nonce);
    known.outcomes = batch.changes.map((change) => this.apply(batch, change));
    return { number: batch.number, status: "applied", list: known.outcomes };
  }

  apply(batch, change) {
    const { name, columns } = batch.tables[change.table];
    const refusal = this.refuse(name, change, columns);
    if (refusal) return { refused: refusal, stored: [] };
    const present = this.row(name, change.key);
    const types = this.described(name).columns.map((column) => columnType(column.type));
    const places = columns.map((column) =>
      this.described(name).columns.findIndex((one) => namesOf(one).includes(column)));
    const isEqual = (place, left, right) => {
      const type = types[places[place]];
      return equalityText(type, fromWire(type, left)) === equalityText(type, fromWire(type, right));
    };
    if (change.refetch) return { is: "applied", stored: [] };
    this.applied.push(`${name} ${keyText(change.key)} ${batch.nonce}`);
    const whole = (values) => this.described(name).columns.map((column, place) => {
      const index = places.indexOf(place);
      return index < 0 ? column.default?.[0] ?? null : values[index];
    });
    if (change.insert) {
      const differs = present && change.insert.some(
        (value, place) => !isEqual(place, value, present[places[place]]));
      if (!present) this.set(name, change.key, whole(change.insert));
      else if (differs) {
        if (this.wins === "client") this.set(name, change.key, whole(change.insert));
        const pairs = (values) => values.map((value, place) => [place, value]);
        return {
          is: "overruled", stored: [],
          lost: {
            rule: this.wins, theirs: pairs(places.map((place) => present[place])),
            result: pairs(places.map((place) => this.row(name, change.key)[place])),
          },
        };
      }
      return { is: "applied", stored: [] };
    }
    if (change.delete) {
      if (present) this.set(name, change.key, null);
      return { is: "applied", stored: [] };
    }
    if (!present) {
      return change.update.length === 0
        ? { is: "applied", stored: [] } : { refused: ["gone", "The row is gone."], stored: [] };
    }
    const next = [...present];
    const lost = [];
    for (const [place, old, now] of change.update) {
      const central = present[places[place]];
      const isFree = isEqual(place, old, central) || isEqual(place, now, central);
      if (!isFree) lost.push([place, central]);
      if (isFree || this.wins === "client") next[places[place]] = now;
    }
    if (next.some((value, index) => value !== present[index])) this.set(name, change.key, next);
    if (lost.length === 0 || this.wins === "client") return { is: "applied", stored: [] };
    const kind = lost.length === change.update.length ? "overruled" : "merged";
    return {
      is: kind, stored: [], lost: { rule: "server", theirs: lost, result: lost },
    };
  }

  // MARK: Pages

  page(since, request, answered) { return pageOf(this, since, request, answered); }

  compare({ table: { name, columns }, after }) {
    const places = columns.map((column) =>
      this.described(name).columns.findIndex((one) => namesOf(one).includes(column)));
    const rows = after === undefined ? [...this.history.rows.values()]
      .filter((row) => row.table === name && row.values)
      .map(({ key, values }) => ({ key, values: places.map((place) => values[place]) })) : [];
    return json(messages.compareAnswer.write({ rows, next: undefined }));
  }
}

function isPlain(outcome) {
  return outcome?.is === "applied" && outcome.stored.length === 0 && !outcome.lost;
}

export function json(text, status = 200, headers = {}) {
  return new Response(text, {
    status, headers: { "content-type": "application/json", ...headers },
  });
}

/** The answer of a hub that refuses a request. */
export function refusal(code, status, headers = {}) {
  return json(JSON.stringify({ code, message: `The hub says ${code}.` }), status, headers);
}
