/** Writes docs/cli.md from the commands' own help and a session with them. Run it from the root, on the built files. */
import { writeFileSync } from 'node:fs';
import { wl } from '../test/cli/run-wl.ts';
import { cliPage } from './cli-page.ts';
import { cliSession } from './cli-session.ts';

const help = async (words: readonly string[]): Promise<string> => (await wl([...words, '--help'])).stdout;
writeFileSync('docs/cli.md', await cliPage(help, await cliSession()));
