/** Reads a JSON description without assuming its shape. */
export type Json = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function record(value: unknown): Json {
  if (isRecord(value)) return value;
  throw new Error(`no object: ${JSON.stringify(value)}`);
}

/**
 * The same with every described object closed. Clients must accept unknown fields, but an answer with an undescribed field is our
 * mistake.
 */
export function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (!isRecord(value)) return value;
  const inside = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closed(part)]));
  const isOpen =
    value['type'] === 'object' && isRecord(value['properties']) && value['additionalProperties'] === undefined;
  return isOpen ? { ...inside, additionalProperties: false } : inside;
}
