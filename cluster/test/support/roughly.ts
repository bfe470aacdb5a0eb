/**
 * An answer whose longer numbers are rounded: the last digits of computed ones may differ, as two databases add up in orders of
 * their own.
 */
export function roughly<Answer extends { readonly body: string }>(answer: Answer): Answer {
  const body = answer.body.replaceAll(/-?\d+\.\d{9,}(?:e[+-]?\d+)?/g, (number) => Number(number).toPrecision(12));
  return { ...answer, body };
}
