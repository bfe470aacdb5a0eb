/**
 * JSON as clients may send it, with what JSON.stringify would not write: -0, numbers that overflow, digits of a bigint where a
 * number beyond 2^53 has an exponent, and keys in ASCII only, as Python writes them.
 */
export function wireJson(value: unknown): string {
  if (Object.is(value, -0)) return '-0';
  if (value === Infinity) return '1e999';
  if (value === -Infinity) return '-1e999';
  if (typeof value === 'bigint') return String(value);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return Number(value).toExponential();
  if (Array.isArray(value)) return `[${value.map(wireJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${inAscii(JSON.stringify(key))}:${wireJson(inner)}`)
    .join(',')}}`;
}

function inAscii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
