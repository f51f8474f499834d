// What both example pages use.

/** An element. */
export const make = (tag, content = {}) => Object.assign(document.createElement(tag), content);

const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;

/** The state of a replica in a few words, and whether it is good, bad or neither. */
export function describe({ phase, isCaughtUp, pending, progress, error, suspended }) {
  if (isCaughtUp && suspended.length === 0) return { text: "Up to date", mood: "good" };
  const waiting = pending > 0 ? `, ${count(pending, "change", "changes")} to send` : "";
  switch (phase) {
    case "offline": return { text: `Offline${waiting}`, mood: "" };
    case "signInRequired": return { text: `Sign in again${waiting}`, mood: "bad" };
    case "updateRequired": return { text: `Reload for a newer version${waiting}`, mood: "bad" };
    case "failing": case "ended":
      return { text: `${error?.message ?? "Stopped"}${waiting}`, mood: "bad" };
    default:
  }
  if (suspended.length > 0) return { text: suspended[0].reason, mood: "bad" };
  if (progress) {
    return { text: `Loading ${progress.done} of ${progress.expected} rows`, mood: "" };
  }
  const text = pending > 0 ? `Sending ${count(pending, "change", "changes")}` : "Syncing";
  return { text, mood: "" };
}
