// npm run coverage: runs the tests and reports which lines they reach, in threads and processes too. The report is in coverage/.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, ROOT, runTool, STAMP } from './steps.mjs';

const report = [
  '--reporter',
  'text-summary',
  '--reporter',
  'html',
  '--include',
  'dist/lib/**',
  '--include',
  'dist/bin/**',
];

build();
rmSync(STAMP); // without bundles it is no whole build
rmSync(join(ROOT, 'dist', 'bundle'), { recursive: true }); // so that what runs is what is counted
process.exitCode = runTool('c8/bin/c8.js', [...report, process.execPath, 'scripts/test.mjs']);
