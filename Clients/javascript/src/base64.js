// Base64 of RFC 4648 with padding, as blobs travel. `atob` would accept spaces and unused bits.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Int8Array(128).fill(-1);
for (let value = 0; value < 64; value += 1) VALUES[ALPHABET.charCodeAt(value)] = value;

/** @param {Uint8Array} bytes */
export function encodeBase64(bytes) {
  /** @type {string[]} */
  const parts = [];
  for (let index = 0; index < bytes.length; index += 3) {
    const count = Math.min(3, bytes.length - index);
    const bits = (bytes[index] << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    parts.push(
      ALPHABET[bits >> 18] + ALPHABET[(bits >> 12) & 63]
        + (count > 1 ? ALPHABET[(bits >> 6) & 63] : "=") + (count > 2 ? ALPHABET[bits & 63] : "="));
  }
  return parts.join("");
}

/**
 * @param {string} text
 * @returns {Uint8Array | null} `null` for anything else, also where unused bits are not zero.
 */
export function decodeBase64(text) {
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let end = 0;
  for (let index = 0; index < text.length; index += 4) {
    const missing = index + 4 === text.length ? padding : 0;
    let bits = 0;
    for (let place = 0; place < 4 - missing; place += 1) {
      const code = text.charCodeAt(index + place);
      const value = code < 128 ? VALUES[code] : -1;
      if (value < 0) return null;
      bits |= value << (18 - 6 * place);
    }
    if (missing > 0 && (bits & (missing === 1 ? 0xff : 0xffff)) !== 0) return null;
    bytes[end] = bits >> 16;
    if (missing < 2) bytes[end + 1] = (bits >> 8) & 0xff;
    if (missing < 1) bytes[end + 2] = bits & 0xff;
    end += 3 - missing;
  }
  return bytes;
}
