/** How long tests search for rare failures: briefly in `npm test`, long in `npm run test:long`, or as set. */

/**
 * WINDLASS_TEST_TIMES: `npm test` tries everything so many times more often. The count in a test finds the mistakes that the test
 * was made for; more find rarer ones.
 *
 * @param normal Tries in `npm test`
 */
export function tries(normal: number): number {
  return Math.ceil(normal * Number(process.env['WINDLASS_TEST_TIMES'] ?? 1));
}
