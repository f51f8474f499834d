// Rows and maps by names that somebody else chose. Each object of JavaScript inherits `constructor`
// and others, and takes `__proto__` for something else.

/**
 * What an object itself has under a name; `undefined` where it has nothing.
 *
 * @template T
 * @param {Record<string, T>} object
 * @param {string} name
 * @returns {T | undefined}
 */
export function own(object, name) {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * A copy that inherits nothing, so that it takes any name.
 *
 * @template T
 * @param {Record<string, T>} [content]
 * @returns {Record<string, T>}
 */
export function bare(content = {}) { return Object.assign(Object.create(null), content); }

/**
 * The value of a row in a column. One that no page brought yet has its default.
 *
 * @param {import("./fold.js").Row} row
 * @param {string} name
 * @param {import("./values.js").Value} [standard]
 */
export function valueIn(row, name, standard = null) {
  const value = own(row, name);
  return value === undefined ? standard : value;
}
