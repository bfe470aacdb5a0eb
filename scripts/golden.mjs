// npm run golden [-- --update]: the golden cases alone; --update writes what is answered now into their files.
import { build, runTool } from './steps.mjs';

const args = process.argv.slice(2);
const rest = args.filter((arg) => arg !== '--update');
const env = { ...process.env, ...(rest.length < args.length ? { WINDLASS_GOLDEN: 'update' } : {}) };

build();
process.exitCode = runTool('mocha/bin/mocha.js', ['--spec', 'dist/test/golden/**/*.test.js', ...rest], { env });
