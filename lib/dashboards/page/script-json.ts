/** JSON that ends no element and starts no comment, wherever it is inserted. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'); // prettier-ignore
}
