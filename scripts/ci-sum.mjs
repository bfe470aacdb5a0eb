// node scripts/ci-sum.mjs FOLDER NAME …: adds up the summaries NAME.json that runs of tests have left in a folder. Tells each
// failure once more, shortly, as a long log is often seen by its end, and last `N passed, M failed`.
// A summary that is not there is a failure: the tests did not build, or did not get to their end.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Failures that are told, and characters of each. */
const MOST_TOLD = 30;
const MOST_CHARACTERS = 1_000;

const [folder, ...names] = process.argv.slice(2);
const failures = [];
let passed = 0;
for (const name of names) {
  const file = join(folder, `${name}.json`);
  if (!existsSync(file)) {
    failures.push(`${name}: did not get to its end`);
    continue;
  }
  const summary = JSON.parse(readFileSync(file, 'utf8'));
  passed += summary.passed;
  failures.push(...summary.failures.map((failure) => `${name}: ${failure}`));
}
for (const failure of failures.slice(0, MOST_TOLD)) process.stdout.write(`${failure.slice(0, MOST_CHARACTERS)}\n`);
process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
process.exitCode = passed === 0 || failures.length > 0 ? 1 : 0;
