// npm run docs: writes the pages of docs/ that are made from the program. Tests hold the pages to it.
import { build, run } from './steps.mjs';

build();
process.exitCode = run(process.execPath, ['dist/scripts/write-configuration.js']);
