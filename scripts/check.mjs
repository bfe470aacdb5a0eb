// npm run check: everything that can be checked without running the program. Runs all of it, prints what the failed checks say, and
// fails if any did.
import { spawnSync } from 'node:child_process';
import { ROOT } from './steps.mjs';

/** Bytes that one check may print. */
const MOST_OUTPUT = 64 << 20;

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
  const { status, signal, error, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: MOST_OUTPUT,
  });
  if (error) throw error;
  if (status === 0 && signal === null) return false;
  process.stdout.write(`check: ${name}\n${stdout}${stderr}`);
  return true;
}).map(({ name }) => name);

if (failed.length > 0) {
  process.stderr.write(`check: failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
