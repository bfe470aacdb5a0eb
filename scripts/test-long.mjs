// npm run test:long [-- --minutes N]: looks for rare failures with other seeds and other moments in every round: properties, and
// services that are killed. Rounds begin as long as there is time for one more; the first failure ends the run.
// WINDLASS_TEST_TIMES: how many times the tries of `npm test` a round makes. WINDLASS_TEST_SUMMARY as for `npm test`.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { build } from './steps.mjs';
import { groupsOf } from './test-files.mjs';
import { reachedBy } from './test-reach.mjs';
import { runGroups } from './test-run.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '8' } } });
process.env.WINDLASS_TEST_TIMES ??= '4';

build();
/** Tests that take their number of tries from that file. */
const campaigns = [...reachedBy(['test/support/campaign.ts']).keys()];
const groups = groupsOf(campaigns.toSorted((a, b) => (a < b ? -1 : 1)));
const end = performance.now() + Number(values.minutes) * 60_000;
let round = 0;
let longest = 0;
while (process.exitCode === undefined && (round === 0 || performance.now() + longest < end)) {
  const begun = performance.now();
  process.stdout.write(`Round ${++round}, ${process.env.WINDLASS_TEST_TIMES} times the tries of npm test\n`);
  if ((await runGroups(groups, { jobs: availableParallelism() + 1, args: [] })) !== 0) process.exitCode = 1;
  longest = Math.max(longest, performance.now() - begun);
}
