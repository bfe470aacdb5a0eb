// npm run bench [-- options]: see docs/benchmarks.md. The engines it compares with are in bench/package.json.
import { build, run } from './steps.mjs';

build();
process.exitCode = run(process.execPath, ['dist/bench/run.js', ...process.argv.slice(2)]);
