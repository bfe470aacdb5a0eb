// Checks that windlass-client can be used as its package.json says, everywhere: publint and attw, on the package as it would be
// published.
import { join } from 'node:path';
import { must, ROOT, run, runTool } from './steps.mjs';

must(run(process.execPath, ['scripts/build-package.mjs']));
const cwd = join(ROOT, 'sdk');
const publint = runTool('publint/src/cli.js', ['--strict'], { cwd });
const attw = runTool('@arethetypeswrong/cli/dist/index.js', ['--pack', '.', '--quiet'], { cwd });
process.exitCode = publint || attw;
