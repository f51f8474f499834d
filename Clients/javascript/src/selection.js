// Which changes go into a batch: those that can be sent, together with what they need
// (docs/reference/client.md, What goes together, and Changes that are not sent now).

import { decode, key as keyCodec } from "./codec.js";
import { makeOperation, sizeOf } from "./making.js";
import { Former, memberName, Present } from "./references.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("./fold.js").Row} Row */
/** @typedef {import("./fold.js").Change} Change */

/**
 * A row with a change in the log.
 *
 * @typedef {{ table: Table, key: string, change: Change }} Member
 */

/**
 * @typedef {Member & { wireKey: import("./values.js").WireValue[], size: number,
 *   row: Row | undefined, operation: import("./making.js").Operation }} Taken
 */

/** @typedef {Member & { refusal: { code: string, message: string } }} Blocked */

export class Selection {
  /** @type {Taken[]} */
  taken = [];
  /** @type {Blocked[]} Changes that the device does not send as they are. */
  blocked = [];
  /** Whether changes remain that the next batch can take. */
  hasMore = false;

  #session;
  #limits;
  /** @type {Map<string, Member>} All changes of active tables, by table and key. */
  #members = new Map();
  /** @type {Map<Member, Taken | null>} `null` for a change that is not sent now. */
  #made = new Map();
  /** @type {Map<number, Set<Member>>} The members of each group. */
  #groups = new Map();
  /** @type {Map<number, number>} */
  #groupNumbers = new Map();
  #size = 0;
  /** @type {Former | null} */
  #former = null;
  /** @type {Set<Member>} */
  #waiting = new Set();
  /** @type {Map<string, Member>} Changes of suspended tables, by table and key. */
  #suspended = new Map();
  /** @type {Former | null} */
  #suspendedFormer = null;
  #suspendedPresent;
  #present;
  /** @type {Set<number>} Groups with rows of suspended tables. */
  #stuckGroups = new Set();

  /** @param {Session} session @param {{ rows: number, bytes: number }} limits */
  constructor(session, limits) {
    this.#session = session;
    this.#limits = limits;
    this.#present = new Present(this.#members, session);
    this.#suspendedPresent = new Present(this.#suspended, session);
  }

  async select() {
    const active = new Set(this.#session.active);
    for (const table of this.#session.tables.values()) {
      const listed = await this.#session.store.list("changes", table.name);
      const changes = /** @type {[string, Change][]} */ (listed);
      const members = active.has(table) ? this.#members : this.#suspended;
      for (const [key, change] of changes.sort(([, a], [, b]) => a.seq - b.seq)) {
        members.set(memberName(table.name, key), { table, key, change });
      }
    }
    this.#gatherGroups();
    const members = [...this.#members.values()];
    // Inserts and updates first: a delete may need them, and not the other way round.
    for (const isDelete of [false, true]) {
      for (const member of members) {
        // What does not fit now begins the next batch.
        if (this.hasMore) return;
        if ((member.change.kind === "delete") === isDelete) await this.#take(member);
      }
    }
  }

  /** The number that the changes of a group share in the batch. @param {Member} member */
  groupNumber({ change }) {
    const [first] = change.groups ?? [];
    if (first === undefined) return undefined;
    const representative = this.#representative(first);
    if (!this.#groupNumbers.has(representative)) {
      this.#groupNumbers.set(representative, this.#groupNumbers.size + 1);
    }
    return this.#groupNumbers.get(representative);
  }

  /**
   * Whether it looked at a change, or the log has none.
   *
   * @param {string} table
   * @param {string} key
   */
  hasSeen(table, key) {
    const member = this.#members.get(memberName(table, key));
    return !member || this.#made.has(member);
  }

  // MARK: Taking

  /** @param {Member} start */
  async #take(start) {
    if (this.#isTaken(start) || this.#waiting.has(start)) return;
    const together = await this.#needed(start);
    if (together === null) return;
    const isFirst = this.taken.length === 0;
    const size = together.reduce((sum, one) => sum + one.size, 0);
    const rows = this.taken.length + together.length;
    const isOver = rows > this.#limits.rows || this.#size + size > this.#limits.bytes;
    if (isOver && !(isFirst && this.#hubTakes(together.length, size))) {
      if (isFirst) this.#refuseGroup(together, rows, size);
      else this.hasMore = true;
      return;
    }
    this.#size += size;
    this.taken.push(...together);
    for (const one of together) this.#takenNames.add(memberName(one.table.name, one.key));
  }

  /** @type {Set<string>} */
  #takenNames = new Set();

  /** @param {Member} member */
  #isTaken(member) { return this.#takenNames.has(memberName(member.table.name, member.key)); }

  /** One change alone may be larger than a batch. @param {number} rows @param {number} size */
  #hubTakes(rows, size) {
    const { batchRows, batchBytes } = this.#session.state.limits;
    return rows === 1 || (rows <= batchRows && size <= batchBytes);
  }

  /**
   * A change with all that has to go with it or before it; `null` if one of them cannot go now.
   *
   * @param {Member} start
   * @returns {Promise<Taken[] | null>}
   */
  async #needed(start) {
    /** @type {Map<Member, Member>} */
    const cameFrom = new Map();
    const seen = new Set([start]);
    /** @type {Set<number>} Groups whose members are seen. */
    const gathered = new Set();
    const open = [start];
    /** @type {Taken[]} */
    const result = [];
    while (open.length > 0) {
      const member = /** @type {Member} */ (open.pop());
      const made = await this.#make(member);
      const isStuck = made === null || this.#waiting.has(member)
        || await this.#needsSuspended(made);
      if (isStuck) {
        // Everything on the way to it waits.
        /** @type {Member | undefined} */
        let one = member;
        for (; one; one = cameFrom.get(one)) this.#waiting.add(one);
        return null;
      }
      result.push(made);
      for (const needed of await this.#needs(made, gathered)) {
        if (seen.has(needed) || this.#isTaken(needed)) continue;
        seen.add(needed);
        cameFrom.set(needed, member);
        open.push(needed);
      }
    }
    return result;
  }

  /** @param {Member} member @returns {Promise<Taken | null>} */
  async #make(member) {
    const known = this.#made.get(member);
    if (known !== undefined) return known;
    const { table, key, change } = member;
    const row = await this.#session.row(table, key);
    const made = makeOperation(table, change, row, this.#session.state.limits.valueBytes);
    let result = null;
    if ("refusal" in made) {
      this.blocked.push({ ...member, refusal: made.refusal });
    } else {
      const wireKey = decode(keyCodec, key);
      const { operation } = made;
      result = { ...member, wireKey, row, operation, size: sizeOf(table, wireKey, operation) };
    }
    this.#made.set(member, result);
    return result;
  }

  /** @param {Member[]} members @param {number} rows @param {number} bytes */
  #refuseGroup(members, rows, bytes) {
    const { batchRows, batchBytes } = this.#session.state.limits;
    for (const member of members) {
      this.#waiting.add(member);
      this.blocked.push({
        ...member,
        refusal: {
          code: "tooLarge",
          message: `This change goes together with others: ${rows} rows with ${bytes} bytes. A `
            + `batch may have ${batchRows} rows and ${batchBytes} bytes. The changes stay on this `
            + "device.",
        },
      });
    }
  }

  // MARK: What a change needs

  /**
   * @param {Taken} member
   * @param {Set<number>} gathered
   * @returns {Promise<Member[]>}
   */
  async #needs(member, gathered) {
    const { change, operation } = member;
    const groups = (change.groups ?? []).flatMap((number) => {
      const representative = this.#representative(number);
      if (gathered.has(representative)) return [];
      gathered.add(representative);
      return [...this.#groups.get(representative) ?? []];
    });
    this.#former ??= new Former([...this.#members.values()]);
    if (operation.delete) return [...groups, ...this.#former.children(member)];
    if (operation.refetch) return groups;
    return [...groups, ...await this.#present.parents(member), ...this.#former.holders(member)];
  }

  /**
   * Whether a change needs a pending change of a suspended table. That is a parent that the hub
   * does not have yet, a child that refers to the deleted row there, or one of its group.
   *
   * @param {Taken} member
   */
  async #needsSuspended(member) {
    const { groups = [] } = member.change;
    if (groups.some((one) => this.#stuckGroups.has(this.#representative(one)))) return true;
    if (this.#suspended.size === 0) return false;
    this.#suspendedFormer ??= new Former([...this.#suspended.values()]);
    if (!member.operation.delete) return (await this.#suspendedPresent.parents(member)).length > 0;
    return this.#suspendedFormer.children(member).some(({ change }) => change.kind !== "insert");
  }

  // MARK: Groups

  /** @type {Map<number, number>} Each group with one that it was joined to. */
  #joined = new Map();

  /** Groups that share a row are one group. */
  #gatherGroups() {
    const elsewhere = [...this.#suspended.values()].map(({ change }) => change);
    const changes = [...this.#members.values()].map(({ change }) => change);
    for (const { groups } of [...changes, ...elsewhere]) {
      const [first, ...more] = groups ?? [];
      for (const number of more) {
        const [a, b] = [this.#representative(first), this.#representative(number)];
        if (a !== b) this.#joined.set(b, a);
      }
    }
    for (const member of this.#members.values()) {
      for (const number of member.change.groups ?? []) {
        const representative = this.#representative(number);
        const members = this.#groups.get(representative) ?? new Set();
        this.#groups.set(representative, members.add(member));
      }
    }
    for (const number of elsewhere.flatMap(({ groups }) => groups ?? [])) {
      this.#stuckGroups.add(this.#representative(number));
    }
  }

  /** @param {number} group */
  #representative(group) {
    let representative = group;
    for (let next; (next = this.#joined.get(representative)) !== undefined;) representative = next;
    return representative;
  }
}
