// npm run docs: writes what pages of docs/ have from the program (settings, answers, help). Tests hold the pages to it.
import { build, must, run } from './steps.mjs';

build();
for (const page of ['configuration', 'cli', 'man', 'examples'])
  must(run(process.execPath, [`dist/scripts/write-${page}.js`]));
