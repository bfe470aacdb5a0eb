/** Rewrites the answers on the pages with examples, from the demo project. Run it from the root, on the built files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { openDemoProject } from '../test/docs/demo-project.ts';
import { EXAMPLE_PAGES, withAnswers } from '../test/docs/example-page.ts';

const project = await openDemoProject();
for (const file of EXAMPLE_PAGES) writeFileSync(file, await withAnswers(readFileSync(file, 'utf8'), project));
await project.close();
