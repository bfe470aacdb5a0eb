// node scripts/ci-sum.mjs FOLDER NAME …: adds up the summaries NAME.json that test runs left in a folder. Repeats each failure in
// short, as people often see only the end of a long log, and prints `N passed, M failed` last. A missing summary is a failure:
// the tests did not build, or did not finish.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Failures to print, and characters of each. */
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
