/** Writes docs/cli.md from the commands' own help. Run it from the repository, on the built files. */
import { writeFileSync } from 'node:fs';
import { wl } from '../test/cli/run-wl.ts';
import { cliPage } from './cli-page.ts';

writeFileSync('docs/cli.md', await cliPage(async (words) => (await wl([...words, '--help'])).stdout));
