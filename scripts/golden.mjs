// npm run golden [-- --update] [name …]: the golden cases alone, see golden.ts.
import { build, run } from './steps.mjs';

build();
process.exitCode = run(process.execPath, ['dist/scripts/golden.js', ...process.argv.slice(2)]);
