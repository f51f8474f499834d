// The tables of a replica, as the hub's schema describes them, under the names that the app uses.

import { key as keyCodec } from "./codec.js";
import { misuse, violation } from "./errors.js";
import { own } from "./own.js";
import {
  areEqual, columnType, fromWire, normalValue, toWire, UNKNOWN,
} from "./values.js";

/** @typedef {import("./values.js").Value} Value */
/** @typedef {import("./values.js").WireValue} WireValue */
/** @typedef {import("./fold.js").Row} Row */

/**
 * @typedef {object} Column
 * @property {string} name The app's name.
 * @property {string} central The name in the central database.
 * @property {import("./values.js").ColumnType} type
 * @property {boolean} isRequired No NULL.
 * @property {boolean} isGenerated Only the hub writes it.
 * @property {Value | undefined} standard The default, where it is a constant.
 * @property {string[]} names Every name that the hub has for it.
 */

/**
 * @typedef {{ columns: string[], table: string, references: string[] }} Foreign
 *   A foreign key to a table of the replica.
 */

/**
 * What an app lists for a table.
 *
 * @typedef {object} TableOptions
 * @property {string[]} [key] The columns of the key. An app that writes before the first contact
 *   with its hub needs it.
 * @property {string[]} [columns] The columns that the app uses, by its names; all without it.
 * @property {boolean} [refusesForbidden] Whether a local write that the user's rights do not allow
 *   fails with `permission`.
 */

/** Why a table does not sync. @typedef {{ code: string, reason: string }} Problem */

/**
 * How a table's rows are stored: the central name and the type of each column.
 *
 * @typedef {object} Layout
 * @property {string[]} key
 * @property {Record<string, { central: string, type: string }>} columns
 */

export class Table {
  /**
   * @param {{ name: string, columns: Column[], key: string[], listedKey?: string[],
   *   unique?: string[][], foreign?: Foreign[], direction?: string, isRowMerged?: boolean,
   *   keyBlock?: number, central?: string, problem?: Problem | null }} content
   */
  constructor(content) {
    this.name = content.name;
    this.central = content.central ?? content.name;
    /** Why it does not sync; `null` without a reason of this device. */
    this.problem = content.problem ?? null;
    this.columns = content.columns;
    /** In the hub's order. Keys travel and are stored in it. */
    this.key = content.key;
    /** In the order that the app uses. */
    this.listedKey = content.listedKey ?? content.key;
    this.unique = content.unique ?? [];
    this.foreign = content.foreign ?? [];
    this.direction = content.direction;
    this.isRowMerged = content.isRowMerged ?? false;
    this.keyBlock = content.keyBlock;
    /** @type {Map<string, Column>} */
    this.byName = new Map(content.columns.map((column) => [column.name, column]));
  }

  /** Whether the columns are known; they are not before the first contact with the hub. */
  get isKnown() { return this.columns.length > 0; }
  /** Whether rows come from the hub. */
  get isReceived() { return this.direction !== "up"; }

  /** @param {string} name */
  type(name) { return this.byName.get(name)?.type ?? UNKNOWN; }

  /** @param {string} name */
  isKey(name) { return this.key.includes(name); }

  /** The column that has this name anywhere. @param {string} name */
  columnNamed(name) {
    return this.byName.get(name) ?? this.columns.find((column) => column.names.includes(name));
  }

  /** @param {string} name @param {Value | undefined} left @param {Value | undefined} right */
  areEqual(name, left, right) {
    if (left === undefined || right === undefined) return left === right;
    return areEqual(this.type(name), left, right);
  }

  /** The key of a row, as it travels. @param {Row} row @returns {WireValue[]} */
  wireKey(row) {
    return this.key.map((name) => {
      const type = this.type(name);
      return normalValue(type, toWire(type, own(row, name) ?? null));
    });
  }

  /** The key of a row, as the store has it. @param {Row} row */
  keyText(row) { return keyCodec.write(this.wireKey(row)); }

  /**
   * @param {WireValue[]} values A key that travelled.
   * @param {string[]} [order] The columns of the key at that time.
   */
  keyTextOfWire(values, order = this.key) {
    if (values.length !== this.key.length) {
      throw violation(`a key of ${this.name} has a wrong length`);
    }
    const names = order.map((name) => this.columnNamed(name)?.name);
    return keyCodec.write(this.key.map((name, index) => normalValue(
      this.type(name), values[order === this.key ? index : names.indexOf(name)])));
  }

  /** The values of a key for the app. @param {Row} row */
  keyValues(row) { return this.listedKey.map((name) => row[name]); }

  /** The values of a key that travelled. @param {WireValue[]} values @returns {Row} */
  keyRow(values) {
    return Object.fromEntries(
      this.key.map((name, index) => [name, fromWire(this.type(name), values[index])]));
  }

  /**
   * The key's columns of what an app gives as a key.
   *
   * @param {unknown} given The value of a key of one column, an array in the key's order, or an
   *   object with the key's columns.
   * @returns {Row}
   */
  givenKey(given) {
    const key = this.listedKey;
    const isObject = typeof given === "object" && given !== null
      && !Array.isArray(given) && !(given instanceof Uint8Array);
    const values = Array.isArray(given) ? given
      : isObject ? key.map((name) => /** @type {any} */ (given)[name]) : [given];
    if (values.length !== key.length || values.some((value) => value === undefined)) {
      throw misuse("type", `The key of ${this.name} has other columns: ${key.join(", ")}.`);
    }
    return Object.fromEntries(key.map((name, index) => [name, values[index]]));
  }

  /** How its rows are stored. @returns {Layout} */
  get layout() {
    return {
      key: this.key,
      columns: Object.fromEntries(this.columns.map(
        ({ name, central, type }) => [name, { central, type: type.name }])),
    };
  }
}

/**
 * A table that the hub's schema does not describe, or not as the app lists it: as it is stored.
 *
 * @param {string} name
 * @param {TableOptions} options
 * @param {Layout | undefined} layout
 * @param {Problem | null} problem
 */
function storedTable(name, options, layout, problem) {
  const columns = Object.entries(layout?.columns ?? {}).map(([own, { central, type }]) => ({
    name: own, central, type: columnType(type) ?? UNKNOWN, isRequired: false, isGenerated: false,
    standard: undefined, names: [own, central],
  }));
  const key = layout?.key ?? options.key ?? [];
  return new Table({ name, columns, key, listedKey: listedKey(options, key), problem });
}

/** @param {string[]} left @param {string[]} right */
function hasSame(left, right) {
  return [...left].sort().join("\0") === [...right].sort().join("\0");
}

/** @param {TableOptions} options @param {string[]} key */
function listedKey(options, key) {
  return options.key && hasSame(options.key, key) ? options.key : key;
}

/** @param {Record<string, TableOptions> | null} listed @param {string} name */
function optionsOf(listed, name) { return (listed && own(listed, name)) ?? {}; }

/** @param {any} described A table or column of the schema. @returns {string[]} */
function namesOf({ name, deviceName, aliases }) {
  return [...new Set([deviceName ?? name, name, ...aliases])];
}

/**
 * @param {any[] | null} schema The tables of the hub's schema; `null` before the first contact.
 * @param {Record<string, TableOptions> | null} listed The app's list; `null` for all tables.
 * @param {Record<string, Layout>} layouts How rows are stored by now.
 * @returns {Map<string, Table>} Parents before children.
 */
export function localTables(schema, listed, layouts) {
  /** @type {Map<string, Table>} */
  const tables = new Map();
  /** @type {(name: string, problem: Problem | null) => void} */
  const addStored = (name, problem) => {
    tables.set(name, storedTable(name, optionsOf(listed, name), layouts[name], problem));
  };
  const chosen = chosenTables(schema ?? [], listed, layouts);
  for (const [name, described] of chosen) {
    const table = localTable(name, described, optionsOf(listed, name), layouts[name]);
    if (table instanceof Table) tables.set(name, table);
    else addStored(name, table);
  }
  for (const [name, described] of chosen) {
    const table = /** @type {Table} */ (tables.get(name));
    if (table.problem === null) table.foreign = foreignKeys(table, described, chosen, tables);
  }
  for (const name of [...Object.keys(listed ?? {}), ...Object.keys(layouts)]) {
    if (!tables.has(name)) addStored(name, schema === null ? null : missing(name, listed));
  }
  return tables;
}

/** @param {string} name @param {Record<string, TableOptions> | null} listed @returns {Problem} */
function missing(name, listed) {
  if (listed === null || Object.hasOwn(listed, name)) {
    return {
      code: "unknownTable",
      reason: `The hub does not sync ${name}. Attach it there, or remove it from the list.`,
    };
  }
  return {
    code: "noSuchTable",
    reason: `The app does not list ${name} any more. List it, and its changes are sent.`,
  };
}

/**
 * @param {any[]} schema
 * @param {Record<string, TableOptions> | null} listed
 * @param {Record<string, Layout>} layouts
 * @returns {Map<string, any>} Tables of the schema by the app's names, in the schema's order.
 */
function chosenTables(schema, listed, layouts) {
  if (listed === null) {
    // A name stays as long as the hub has it.
    return new Map(schema.map((table) => {
      const [first, ...more] = namesOf(table);
      return [[first, ...more].find((name) => Object.hasOwn(layouts, name)) ?? first, table];
    }));
  }
  /** @type {Map<string, any>} */
  const chosen = new Map();
  for (const described of schema) {
    const name = namesOf(described).find((one) => Object.hasOwn(listed, one));
    if (name !== undefined) chosen.set(name, described);
  }
  return chosen;
}

/**
 * @param {string} name
 * @param {any} described
 * @param {TableOptions} options
 * @param {Layout | undefined} layout
 * @returns {Table | Problem}
 */
function localTable(name, described, options, layout) {
  /** @type {(Column | null)[]} */
  const columns = described.columns.map((/** @type {any} */ column) => {
    const own = columnName(namesOf(column), column.name, options, layout);
    return own === null ? null : localColumn(own, column);
  });
  for (const [index, column] of columns.entries()) {
    const lacking = described.columns[index];
    const isKey = described.key.includes(index);
    const isOptional = !lacking.notNull || lacking.default || lacking.centralDefault
      || lacking.generated;
    if (column === null && (isKey || !isOptional)) {
      return {
        code: "missingColumn",
        reason: `The app does not list the column ${name}.${lacking.name}, which the hub requires. `
          + "Add it to the list.",
      };
    }
  }
  const ofPositions = (/** @type {number[]} */ positions) =>
    positions.map((position) => columns[position]?.name);
  const key = /** @type {string[]} */ (ofPositions(described.key));
  const expected = options.key ?? layout?.key;
  if (expected && !hasSame(expected, key)) {
    return {
      code: "keyMismatch",
      reason: `The key of ${name} is ${key.join(", ")} at the hub. Name that key in the list. `
        + "A table with another key is another table.",
    };
  }
  return new Table({
    name,
    central: described.name,
    columns: /** @type {Column[]} */ (columns.filter((column) => column !== null)),
    key,
    listedKey: listedKey(options, key),
    unique: described.unique.map(ofPositions)
      .filter((/** @type {unknown[]} */ names) => !names.includes(undefined)),
    direction: described.direction,
    isRowMerged: described.granularity === "row",
    keyBlock: described.keyBlock,
  });
}

/**
 * The name that the app uses for a column; `null` where it does not use the column. A name stays
 * as long as the hub has it, so that an app does not meet another one by itself.
 *
 * @param {string[]} names
 * @param {string} central
 * @param {TableOptions} options
 * @param {Layout | undefined} layout
 */
function columnName(names, central, options, layout) {
  if (options.columns) return names.find((name) => options.columns?.includes(name)) ?? null;
  const stored = layout && Object.keys(layout.columns).find(
    (name) => names.includes(name) && layout.columns[name].central === central);
  return stored ?? names.find((name) => layout && Object.hasOwn(layout.columns, name)) ?? names[0];
}

/** @param {string} name @param {any} described @returns {Column} */
function localColumn(name, described) {
  const type = /** @type {import("./values.js").ColumnType} */ (columnType(described.type));
  return {
    name,
    central: described.name,
    type,
    isRequired: described.notNull,
    isGenerated: described.generated,
    standard: described.default === undefined ? undefined : fromWire(type, described.default[0]),
    names: namesOf(described),
  };
}

/**
 * @param {Table} table
 * @param {any} described
 * @param {Map<string, any>} chosen
 * @param {Map<string, Table>} tables
 * @returns {Foreign[]}
 */
function foreignKeys(table, described, chosen, tables) {
  return described.foreign.flatMap((/** @type {any} */ one) => {
    const [parentName] = [...chosen].find(([, other]) => other.name === one.table) ?? [];
    const parent = parentName === undefined ? undefined : tables.get(parentName);
    const columns = one.columns.map((/** @type {number} */ position) =>
      table.columns.find(({ central }) => central === described.columns[position].name)?.name);
    const references = one.references.map((/** @type {string} */ name) =>
      parent?.columns.find(({ central }) => central === name)?.name);
    if (!parent || columns.includes(undefined) || references.includes(undefined)) return [];
    return [{ columns, table: parent.name, references }];
  });
}
