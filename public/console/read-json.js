// JSON of answers, which may have names that people chose.

const STRING = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/**
 * What JSON.parse should return. That of V8 since 12.8 may give a key that is spelled with an escape the name of a key of an earlier
 * object (nodejs/node#63785), so it reads such keys as numbers, which become their names afterwards. Throws SyntaxError.
 * @param {string} text
 * @returns {unknown}
 */
export function readJson(text) {
  if (!text.includes('\\')) return JSON.parse(text);
  /** @type {string[]} */
  const names = [];
  const numbered = text.replace(
    STRING,
    (whole, /** @type {string} */ string, /** @type {string | undefined} */ colon) => {
      if (colon === undefined) return whole;
      return string.includes('\\') ? `"#${names.push(String(JSON.parse(string))) - 1}":` : `"=${string.slice(1)}:`;
    },
  );
  return names.length === 0 ? JSON.parse(text) : named(JSON.parse(numbered), names);
}

/**
 * @param {unknown} value
 * @param {readonly string[]} names
 * @returns {unknown}
 */
function named(value, names) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => named(item, names));
  const members = Object.entries(value).map(([key, member]) => {
    return [key.startsWith('#') ? names[Number(key.slice(1))] : key.slice(1), named(member, names)];
  });
  return Object.fromEntries(members);
}
