// npm run chaos -- [--seeds N] [--first N]: runs a server under faults, again and again, against a record of what it
// acknowledged. Each seed is the life of one data folder: 8 runs that end with kill -9, 2 flipped bits. A failing seed is named;
// run it again with --first SEED --seeds 1.
import { parseArgs } from 'node:util';
import { build, run } from './steps.mjs';

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '5' }, first: { type: 'string', default: '1' } },
});
build();
const env = { ...process.env, WINDLASS_CHAOS_SEEDS: values.seeds, WINDLASS_CHAOS_FIRST: values.first };
const test = ['node_modules/mocha/bin/mocha.js', '--no-parallel', '--spec', 'dist/test/chaos/chaos.test.js'];
process.exitCode = run(process.execPath, test, { env });
