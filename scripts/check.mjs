// npm run check: everything that can be checked without running the program. Runs all of it, then fails if anything did.
import { run } from './steps.mjs';

const CHECKS = [
  { name: 'format', command: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'] },
  { name: 'lint', command: ['node_modules/oxlint/bin/oxlint', '--deny-warnings'] },
  { name: 'circles of imports', command: ['scripts/import-cycles.mjs'] },
  { name: 'types', command: ['node_modules/typescript/bin/tsc', '--noEmit', '--incremental', 'false'] },
  { name: 'types of scripts in pages', command: ['node_modules/typescript/bin/tsc', '--project', 'public'] },
  { name: 'types of sdk/', command: ['node_modules/typescript/bin/tsc', '--project', 'sdk'] },
  { name: 'types of console/', command: ['node_modules/typescript/bin/tsc', '--project', 'console'] },
  { name: 'size of the script', command: ['scripts/size.mjs'] },
  { name: 'windlass-client as a package', command: ['scripts/check-package.mjs'] },
  { name: 'dead code', command: ['node_modules/knip/bin/knip.js'] },
  { name: 'licences', command: ['scripts/licences.mjs'] },
];

const failed = CHECKS.filter(({ name, command }) => {
  process.stdout.write(`check: ${name}\n`);
  return run(process.execPath, command) !== 0;
}).map(({ name }) => name);

if (failed.length > 0) {
  process.stderr.write(`check: failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
