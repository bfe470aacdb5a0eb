// npm run differential [-- options]: compares Windlass's answers with those of two databases, on random events.
import { build, run } from './steps.mjs';

build();
process.exitCode = run(process.execPath, ['dist/bench/differential/run.js', ...process.argv.slice(2)]);
