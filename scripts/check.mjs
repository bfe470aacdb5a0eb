// npm run check: everything that can be wrong without running the program. Runs all of it, then fails if any has.
import { run } from './steps.mjs';

const CHECKS = [
  ['format', 'node_modules/prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']],
  ['lint', 'node_modules/oxlint/bin/oxlint', ['--deny-warnings']],
  ['types', 'node_modules/typescript/bin/tsc', ['--noEmit', '--incremental', 'false']],
  ['types of scripts in pages', 'node_modules/typescript/bin/tsc', ['--project', 'public']],
  ['dead code', 'node_modules/knip/bin/knip.js', []],
  ['licences', 'scripts/licences.mjs', []],
];

const failed = CHECKS.filter(([name, program, args]) => {
  process.stdout.write(`check: ${name}\n`);
  return run(process.execPath, [program, ...args]) !== 0;
}).map(([name]) => name);

if (failed.length > 0) {
  process.stderr.write(`check: failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
