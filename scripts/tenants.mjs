// npm run bench:tenants [-- options]: many projects on one service. See docs/benchmarks.md.
import { build, run } from './steps.mjs';

build();
process.exitCode = run(process.execPath, ['dist/bench/tenants/run.js', ...process.argv.slice(2)]);
