/** JSON as clients may send it, with what JSON.stringify would not write: -0, and numbers that overflow. */
export function wireJson(value: unknown): string {
  if (Object.is(value, -0)) return '-0';
  if (value === Infinity) return '1e999';
  if (value === -Infinity) return '-1e999';
  if (Array.isArray(value)) return `[${value.map(wireJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}:${wireJson(inner)}`)
    .join(',')}}`;
}
