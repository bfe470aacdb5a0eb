// npm run check: everything that can be wrong without running the program. Runs all of it, then fails if any has.
import { runTool } from './steps.mjs';

const CHECKS = [
  ['format', 'prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']],
  ['lint', 'oxlint/bin/oxlint', ['--deny-warnings']],
  ['types', 'typescript/bin/tsc', ['--noEmit', '--incremental', 'false']],
  ['types of scripts in pages', 'typescript/bin/tsc', ['--project', 'public']],
  ['dead code', 'knip/bin/knip.js', []],
];

const failed = CHECKS.filter(([name, tool, args]) => {
  process.stdout.write(`check: ${name}\n`);
  return runTool(tool, args) !== 0;
}).map(([name]) => name);

if (failed.length > 0) {
  process.stderr.write(`check: failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
