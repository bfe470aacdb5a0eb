// npm run bench:scaling [-- options]: Windlass alone on data of several sizes. See docs/benchmarks.md.
import { build, run } from './steps.mjs';

build();
process.exitCode = run(process.execPath, ['dist/bench/scaling.js', ...process.argv.slice(2)]);
