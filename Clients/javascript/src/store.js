// Where a replica keeps everything: collections of values by two-part keys.

/** @typedef {string | number} KeyPart */

/**
 * One transaction. All of it is stored, or nothing. Between its calls, wait for nothing but them:
 * a browser ends a transaction that has nothing to do.
 *
 * @typedef {object} Transaction
 * @property {(collection: string, first: KeyPart, second: KeyPart) => Promise<any>} get
 *   `undefined` where there is nothing.
 * @property {(collection: string, first: KeyPart) => Promise<[KeyPart, any][]>} list
 * @property {(collection: string, first: KeyPart,
 *   visit: (second: KeyPart, value: any) => void | Promise<void>) => Promise<void>} each
 *   Visits the values in parts, so that they need not fit into memory.
 * @property {(collection: string, first?: KeyPart) => Promise<number>} count
 * @property {(collection: string, first: KeyPart, second: KeyPart, value: any) => void} put
 * @property {(collection: string, first: KeyPart, second: KeyPart) => void} delete
 * @property {(collection: string, first?: KeyPart) => void} clear
 */

/**
 * A store for one replica.
 *
 * @typedef {object} Store
 * @property {string | null} sharedAs The name under which other tabs open the same store; `null`
 *   for a store of this page alone.
 * @property {() => Promise<void>} open
 * @property {<T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>} read
 * @property {<T>(work: (transaction: Transaction) => Promise<T>, isDurable?: boolean)
 *   => Promise<T>} write `isDurable`: the commit reaches the disk before the call returns.
 * @property {() => void} close
 */

/**
 * | collection  | first part | second part | content                                          |
 * |-------------|------------|-------------|--------------------------------------------------|
 * | meta        | ""         | name        | the replica's state, schema, rights, sent batch  |
 * | rows        | table      | key         | rows as the app sees them                        |
 * | changes     | table      | key         | local changes that no batch contains             |
 * | withheld    | table      | key         | withheld rows, with column and reason            |
 * | refused     | ""         | number      | refused and recovered changes                    |
 * | overruled   | ""         | number      | changes that lost a conflict                     |
 * | answered    | ""         | number      | answered batches, for the retention time         |
 */
export const COLLECTIONS = [
  "meta", "rows", "changes", "withheld", "refused", "overruled", "answered",
];
