// npm run mutants [-- options]: checks that tests notice small changes of the program, see test/mutants/run.ts.
import { build, run } from './steps.mjs';

build();
process.exitCode = run(process.execPath, ['dist/test/mutants/run.js', ...process.argv.slice(2)]);
