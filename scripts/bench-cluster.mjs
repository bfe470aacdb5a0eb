// npm run bench:cluster [-- options]: statements and ingest on ClickHouse's engine. See docs/benchmarks.md.
import { build, run } from './steps.mjs';

build();
process.exitCode = run(process.execPath, ['dist/cluster/bench/run.js', ...process.argv.slice(2)]);
