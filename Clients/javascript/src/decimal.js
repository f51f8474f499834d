// Decimal numbers as text, digit by digit, without a binary fraction in between
// (docs/reference/protocol.md, 2.1).

/** More digits than any database stores. The limits keep hostile text cheap. */
const MAXIMUM_LENGTH = 200_000;
const MAXIMUM_EXPONENT = 1_000_000;

const FORM = /^([+-]?)(?=[0-9.])([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,7}))?$/;

/**
 * A decimal: 0.`digits` × 10^`exponent`.
 *
 * @typedef {{ isNegative: boolean, digits: string, exponent: number }} Decimal
 *   `digits` has no zeros at its ends, and is empty for zero.
 */

/**
 * @param {string} text
 * @returns {Decimal | null} `null` for what is no plain or scientific decimal number.
 */
export function readDecimal(text) {
  if (text.length > MAXIMUM_LENGTH) return null;
  const match = FORM.exec(text);
  if (match === null) return null;
  const [, sign, whole, fraction = "", power = "0"] = match;
  const all = whole + fraction;
  const exponent = Number(power);
  if (all === "" || Math.abs(exponent) > MAXIMUM_EXPONENT) return null;
  const significant = all.replace(/^0+/, "");
  const digits = significant.replace(/0+$/, "");
  if (digits === "") return { isNegative: false, digits, exponent: 0 };
  return {
    isNegative: sign === "-",
    digits,
    exponent: whole.length + exponent - (all.length - significant.length),
  };
}

/** The normal form: `9.80`, `9.8` and `98e-1` all become `9.8`. @param {Decimal} decimal */
export function decimalText({ isNegative, digits, exponent }) {
  if (digits === "") return "0";
  const sign = isNegative ? "-" : "";
  if (exponent > 80 || exponent <= -80) return `${sign}0.${digits}e${exponent}`;
  if (exponent <= 0) return `${sign}0.${"0".repeat(-exponent)}${digits}`;
  if (digits.length <= exponent) return sign + digits.padEnd(exponent, "0");
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
}

/**
 * The order of two decimals by their numbers.
 *
 * @param {Decimal} left
 * @param {Decimal} right
 */
export function compareDecimals(left, right) {
  const leftSign = left.digits === "" ? 0 : left.isNegative ? -1 : 1;
  const rightSign = right.digits === "" ? 0 : right.isNegative ? -1 : 1;
  if (leftSign !== rightSign) return leftSign - rightSign;
  if (left.exponent !== right.exponent) return (left.exponent - right.exponent) * leftSign;
  if (left.digits === right.digits) return 0;
  return (left.digits < right.digits ? -1 : 1) * leftSign;
}
