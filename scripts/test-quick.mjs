// npm run test:quick: tests what the changes in the working tree reach, or those of the last commit if there are none. Nearest by
// imports first, as many as fit 20 seconds with the build; the rest is listed, and left to `npm test`.
import { availableParallelism } from 'node:os';
import { build } from './steps.mjs';
import { groupsOf, secondsOf, sourceOf } from './test-files.mjs';
import { changedFiles, reachedBy } from './test-reach.mjs';
import { runGroups } from './test-run.mjs';

/** Seconds for the tests; the build takes the rest of the 20. */
const SECONDS = 9;
const GOLDEN = 'dist/test/golden.test.js';
/** Golden cases in a second: by the oracle and by the store in the most usual way. `npm test` tries all ways. */
const USUAL_WAYS = '^golden files, answered by the (oracle|embedded store from one segment)';
const USUAL_SECONDS = 5;

/** Which tests fit into so many seconds of as many processors, and which do not: `distances` by file. */
function choose(distances, seconds) {
  const nearest = [...distances].toSorted(([, a], [, b]) => a - b).map(([file]) => file);
  const chosen = [];
  let left = seconds;
  for (const file of nearest) {
    const cost = file === GOLDEN ? USUAL_SECONDS : secondsOf(file);
    if (distances.get(file) > 0 && cost > left) continue;
    chosen.push(file);
    left -= cost;
  }
  return { chosen, left: nearest.filter((file) => !chosen.includes(file)) };
}

/** Only the changed cases, if nothing else reaches the golden test. */
function goldenTitles(changed) {
  const cases = changed.map((file) => /^test\/golden\/(?!_)(.*)\.golden$/.exec(file)?.[1]);
  return cases.every((name) => name !== undefined) ? `(${cases.map(escape).join('|')}): ` : USUAL_WAYS;
}

function escape(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

build();
const changed = changedFiles();
const reached = reachedBy(changed);
if (reached.size === 0) {
  process.stdout.write(`No test reaches what has changed: ${changed.join(', ') || 'nothing'}\n`);
} else {
  const { chosen, left } = choose(reached, SECONDS * availableParallelism());
  const groups = groupsOf(chosen).map((group) =>
    group.files[0] === GOLDEN ? { ...group, args: [`--grep=${goldenTitles(changed)}`] } : group,
  );
  process.env.WINDLASS_TEST_TIMES ??= '0.3';
  process.exitCode = await runGroups(groups, { jobs: availableParallelism() + 1, args: [] });
  if (left.length > 0) {
    process.stdout.write(
      `  Reached too, and left to npm test: ${left.length} files, ${left.map(sourceOf).join(', ')}\n`,
    );
  }
}
