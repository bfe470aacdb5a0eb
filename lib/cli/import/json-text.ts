/** A value of JSON as text: what is no text is its JSON. */
export const jsonText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
