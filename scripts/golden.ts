/**
 * Runs golden files against the oracle: `npm run golden -- [--update] [name …]`.
 * A name is a part of a file's path below test/golden; without one, all. `--update` writes what was answered into the
 * expected part of the files named (all: `--update .`); read the difference before you commit it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { replaceExpected } from '../test/support/golden-file.ts';
import {
  expectedLines,
  goldenNames,
  goldenPath,
  printExpected,
  readGolden,
  runGolden,
} from '../test/support/golden-run.ts';
import { oracleSubject } from '../test/support/subject.ts';

const update = process.argv.includes('--update');
const parts = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
if (update && parts.length === 0) {
  console.error('name the files to update: npm run golden -- --update funnel/two-steps');
  process.exit(1);
}
const names = goldenNames().filter(
  (name) => parts.length === 0 || parts.some((part) => part === '.' || name.includes(part)),
);
const subject = oracleSubject();
let different = 0;
for (const name of names) {
  const golden = readGolden(name);
  const outcome = await runGolden(golden, subject);
  const expected = expectedLines(golden).join('\n');
  if (outcome.lines.join('\n') !== expected) {
    different++;
    console.log(
      `${name}: ${golden.title}\nexpected\n${expected}\nanswered\n${outcome.lines.join('\n')}\n${outcome.message ?? ''}\n`,
    );
  }
  if (!update) continue;
  const path = goldenPath(name);
  writeFileSync(path, replaceExpected(readFileSync(path, 'utf8'), printExpected(golden, outcome)));
}
console.log(`${names.length} golden files, ${different} ${update ? 'changed' : 'different'}`);
process.exitCode = different > 0 && !update ? 1 : 0;
