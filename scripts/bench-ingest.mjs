// npm run bench:ingest [-- options]: how fast events are acknowledged. See docs/benchmarks.md.
import { build, run } from './steps.mjs';

build();
process.exitCode = run(process.execPath, ['dist/bench/ingest/run.js', ...process.argv.slice(2)]);
