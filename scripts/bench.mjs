// npm run bench [-- options]: see docs/benchmarks.md. bench/package.json lists the engines it compares with.
import { build, run } from './steps.mjs';

build();
process.exitCode = run(process.execPath, ['dist/bench/run.js', ...process.argv.slice(2)]);
