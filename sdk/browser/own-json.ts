/** Parses JSON that the script itself has written; throws when it is not JSON. */
export function ownJson<T>(text: string | null): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a check of every field would be paid by every page
  return JSON.parse(`${text}`) as T;
}
