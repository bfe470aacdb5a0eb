// npm run docs: writes the parts of docs/ that come from the program (settings, answers, help), and the alerts for Kubernetes. Tests check that they match.
import { build, must, run } from './steps.mjs';

build();
for (const page of ['configuration', 'cli', 'man', 'examples', 'rules'])
  must(run(process.execPath, [`dist/scripts/write-${page}.js`]));
