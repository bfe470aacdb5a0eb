// npm run coverage: the tests, and which lines they reach, in threads and processes too. The report is in coverage/.
import { build, runTool } from './steps.mjs';

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
process.exitCode = runTool('c8/bin/c8.js', [...report, process.execPath, 'scripts/test.mjs']);
