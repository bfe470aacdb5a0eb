/** How long tests look for rare things: shortly in `npm test`, for long in `npm run test:long`, and as one says. */

/**
 * WINDLASS_TEST_TIMES: `npm test` tries everything so many times more often. The count in a test is what finds the mistakes that
 * it was made for; more finds rarer ones.
 *
 * @param normal Tries in `npm test`
 */
export function tries(normal: number): number {
  return Math.ceil(normal * Number(process.env['WINDLASS_TEST_TIMES'] ?? 1));
}
