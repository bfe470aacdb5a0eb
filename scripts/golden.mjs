// npm run golden [-- --update] [name …]: only the golden cases, see golden.ts.
import { build, run } from './steps.mjs';

build();
process.exitCode = run(process.execPath, ['dist/scripts/golden.js', ...process.argv.slice(2)]);
