/**
 * JSON.parse of an answer. That of V8 since 12.8 (Node 24 and 26) may give a key that is spelled with an escape the name of a key of
 * an earlier object (nodejs/node#63785), so it reads such keys as numbers, which become their names afterwards.
 */

const STRING = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/** Throws SyntaxError. */
export function readJson(text: string): unknown {
  if (!text.includes('\\')) return JSON.parse(text);
  const names: string[] = [];
  const numbered = text.replace(STRING, (whole, string: string, colon: string | undefined) => {
    if (colon === undefined) return whole;
    return string.includes('\\') ? `"#${names.push(String(JSON.parse(string))) - 1}":` : `"=${string.slice(1)}:`;
  });
  return names.length === 0 ? JSON.parse(text) : named(JSON.parse(numbered), names);
}

function named(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => named(item, names));
  const members = Object.entries(value).map(([key, member]): [unknown, unknown] => {
    return [key.startsWith('#') ? names[Number(key.slice(1))] : key.slice(1), named(member, names)];
  });
  return Object.fromEntries(members);
}
