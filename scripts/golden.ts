/**
 * Runs golden files: `npm run golden -- [--update] [name …]`. A name is part of a file's path below test/golden; without one, all
 * run. The row interpreter and the engine answer each, from one segment and from one segment per request: all must give what the
 * file expects. `--update` writes the answer into the expected part of the named files (all: `--update .`), only where all agree;
 * read the diff before you commit it.
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
  type Outcome,
} from '../test/support/golden-run.ts';
import { PLAIN, StoreSubject } from '../test/support/store-subject.ts';
import { oracleSubject, type Subject } from '../test/support/subject.ts';

const update = process.argv.includes('--update');
const parts = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
if (update && parts.length === 0) {
  console.error('name the files to update: npm run golden -- --update funnel/two-steps');
  process.exit(1);
}
const names = goldenNames().filter(
  (name) => parts.length === 0 || parts.some((part) => part === '.' || name.includes(part)),
);
const stores = [new StoreSubject(PLAIN), new StoreSubject({ ...PLAIN, queryEvery: 1 })];
const subjects: readonly (readonly [name: string, subject: Subject])[] = [
  ['the row interpreter', oracleSubject()],
  ['the engine', stores[0]!],
  ['the engine, from a segment a request', stores[1]!],
];
const counts = { changed: 0, different: 0, disputed: 0, totals: 0 };
try {
  for (const name of names) await runOne(name);
} finally {
  for (const store of stores) await store.close();
}
const disputed = counts.disputed > 0 ? `, ${counts.disputed} on which the engine and the row interpreter differ` : '';
const answered = update ? `${counts.changed} changed` : `${counts.different} different`;
console.log(`${names.length} golden files, ${answered}${disputed}`);
if (counts.totals > 0) console.log('totals are not written: change `--- total` by hand');
process.exitCode = counts.disputed > 0 || counts.totals > 0 || (!update && counts.different > 0) ? 1 : 0;

async function runOne(name: string): Promise<void> {
  const golden = readGolden(name);
  const expected = expectedLines(golden).join('\n');
  const outcomes: { by: string; outcome: Outcome }[] = [];
  for (const [by, subject] of subjects) outcomes.push({ by, outcome: await runGolden(golden, subject) });
  const [first, ...others] = outcomes;
  if (first === undefined) return;
  if (others.some(({ outcome }) => !isSame(outcome, first.outcome))) {
    counts.disputed++;
    for (const { by, outcome } of outcomes) report(`${name}, answered by ${by}`, golden.title, outcome);
    return;
  }
  const isTotal = golden.total === null || golden.total === first.outcome.total;
  if (!isTotal || first.outcome.lines.join('\n') !== expected) {
    counts.different++;
    report(name, `${golden.title}\nexpected\n${expected}\nanswered`, first.outcome);
  }
  if (!update) return;
  if (!isTotal) counts.totals++;
  const path = goldenPath(name);
  const before = readFileSync(path, 'utf8');
  const after = replaceExpected(before, printExpected(golden, first.outcome));
  if (after !== before) counts.changed++;
  writeFileSync(path, after);
}

function isSame(a: Outcome, b: Outcome): boolean {
  return a.lines.join('\n') === b.lines.join('\n') && a.total === b.total;
}

function report(name: string, about: string, outcome: Outcome): void {
  const total = outcome.total === null ? '' : `total ${outcome.total}\n`;
  console.log(`${name}: ${about}\n${outcome.lines.join('\n')}\n${total}${outcome.message ?? ''}\n`);
}
