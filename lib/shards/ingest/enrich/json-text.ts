/**
 * An object or array of a profile as its JSON: parsed, 64 KiB of `{}` in an array are more than a megabyte of objects. In a JSON
 * text it stands for what it says.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** The properties with objects and arrays as their JSON. */
export function withJsonTexts(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null;
  if (!Object.values(properties).some(isNested)) return properties;
  const members = Object.entries(properties).map(([key, value]): [string, unknown] => [
    key,
    isNested(value) && !(value instanceof JsonText) ? new JsonText(JSON.stringify(value)) : value,
  ]);
  return Object.fromEntries(members); // unlike assignment, this makes `__proto__` an ordinary key
}
