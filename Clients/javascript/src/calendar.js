// Dates and times as text: the proleptic Gregorian calendar, years 0001 to 9999
// (docs/reference/types.md).

/**
 * @typedef {{ year: number, month: number, day: number, hour: number, minute: number,
 *   second: number, microsecond: number, offset: number | null }} Moment
 *   `offset` is in seconds east of UTC, `null` where the text gave none.
 */

const TIME = "([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\\.([0-9]{1,12}))?)?";
const OFFSET = "(Z|[+-][0-9]{2}(?::?[0-9]{2}(?::[0-9]{2})?)?)?";
const TIME_FORM = new RegExp(`^${TIME}$`);
const TIMESTAMP_FORM = new RegExp(`^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ T]${TIME}${OFFSET})?$`);

/** @param {number} year @param {number} month */
function daysIn(year, month) {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** The seventh digit rounds the sixth. @param {string | undefined} fraction */
function microseconds(fraction = "") {
  const six = Number(fraction.slice(0, 6).padEnd(6, "0"));
  return fraction.length > 6 && fraction[6] >= "5" ? six + 1 : six;
}

/** @param {(string | undefined)[]} parts @returns {Partial<Moment> | null} */
function readClock([hours, minutes, seconds = "0", fraction]) {
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)];
  if (hour > 23 || minute > 59 || second > 59) return null;
  return { hour, minute, second, microsecond: microseconds(fraction) };
}

/** @param {string | undefined} text @returns {number | null | undefined} */
function readOffset(text) {
  if (text === undefined) return null;
  if (text === "Z") return 0;
  const digits = text.replace(/[^0-9]/g, "");
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2, 4));
  if (hours > 23 || minutes > 59) return undefined;
  const seconds = hours * 3600 + minutes * 60 + Number(digits.slice(4, 6));
  return text[0] === "-" ? -seconds : seconds;
}

const MIDNIGHT = {
  year: 1, month: 1, day: 1, hour: 0, minute: 0, second: 0, microsecond: 0, offset: null,
};

/** @param {string} text @returns {Moment | null} */
function readTimestamp(text) {
  const match = TIMESTAMP_FORM.exec(text);
  if (match === null) return null;
  const [year, month, day] = match.slice(1, 4).map(Number);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  const date = { ...MIDNIGHT, year, month, day };
  if (match[4] === undefined) return date;
  const clock = readClock(match.slice(4, 8));
  const offset = readOffset(match[8]);
  return clock === null || offset === undefined ? null : { ...date, ...clock, offset };
}

/**
 * The moment so many seconds later, and without its offset; `null` beyond the years of text.
 *
 * @param {Moment} moment
 * @param {number} seconds
 */
function adding(moment, seconds) {
  const { year, month, day, hour, minute, second } = moment;
  // 400 years later: `Date.UTC` takes years before 100 for others.
  const start = Date.UTC(year + 400, month - 1, day, hour, minute, second);
  const date = new Date(start + seconds * 1000);
  const shifted = date.getUTCFullYear() - 400;
  if (shifted < 1 || shifted > 9999) return null;
  return {
    ...moment, year: shifted, month: date.getUTCMonth() + 1, day: date.getUTCDate(),
    hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: date.getUTCSeconds(),
    offset: null,
  };
}

/** @param {number} microsecond @param {number} digits */
function roundedFraction(microsecond, digits) {
  const unit = 10 ** (6 - Math.min(digits, 6));
  return Math.floor((microsecond + unit / 2) / unit) * unit;
}

/** @param {number} number @param {number} width */
function padded(number, width) { return String(number).padStart(width, "0"); }

/** @param {Moment} moment */
function dateText({ year, month, day }) {
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
}

/** @param {Moment} moment @param {number} digits */
function timeText({ hour, minute, second, microsecond }, digits) {
  const fraction = padded(microsecond, 6).slice(0, digits).replace(/0+$/, "");
  const whole = `${padded(hour, 2)}:${padded(minute, 2)}:${padded(second, 2)}`;
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** The normal form of a date; `null` for other text. @param {string} text */
export function normalDate(text) {
  const moment = readTimestamp(text);
  if (moment === null) return null;
  const { hour, minute, second, microsecond } = moment;
  return hour + minute + second + microsecond === 0 ? dateText(moment) : null;
}

/** The normal form of a time of day; `null` for other text.
 *
 * @param {string} text
 * @param {number} digits
 */
export function normalTime(text, digits) {
  if (text === "24:00:00") return text;
  const match = TIME_FORM.exec(text);
  const clock = match === null ? null : readClock(match.slice(1, 5));
  if (clock === null) return null;
  const moment = { ...MIDNIGHT, ...clock };
  moment.microsecond = roundedFraction(moment.microsecond, digits);
  if (moment.microsecond < 1_000_000) return timeText(moment, digits);
  const total = moment.hour * 3600 + moment.minute * 60 + moment.second + 1;
  // The last moments of a day become 24:00:00.
  return timeText(
    {
      ...moment, hour: Math.floor(total / 3600), minute: Math.floor(total / 60) % 60,
      second: total % 60, microsecond: 0,
    }, digits);
}

/**
 * The normal form of a timestamp, or of an instant; `null` for other text.
 *
 * @param {string} text
 * @param {number} digits
 * @param {boolean} inUTC Whether an offset counts, as for an instant.
 */
export function normalTimestamp(text, digits, inUTC) {
  let moment = readTimestamp(text);
  if (moment !== null && inUTC && moment.offset) moment = adding(moment, -moment.offset);
  if (moment === null) return null;
  const microsecond = roundedFraction(moment.microsecond, digits);
  if (microsecond < 1_000_000) {
    const rounded = { ...moment, microsecond };
    return `${dateText(rounded)} ${timeText(rounded, digits)}`;
  }
  const next = adding({ ...moment, microsecond: 0 }, 1);
  return next === null ? null : `${dateText(next)} ${timeText(next, digits)}`;
}

