/**
 * `wl` on a Node that it can run on. Starting fast is most of what a small command takes: a question for the version loads
 * nothing else, and the commands that speak to a server come from one bundled file, where `npm run build` has made it; `serve`
 * and `admin` from files that they share with the threads of the service.
 */
import { existsSync } from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import { giveFreedMemoryBack } from '../lib/cli/freed-memory.ts';
import { Terminal } from '../lib/cli/terminal.ts';
import { versionAnswer } from '../lib/cli/version-answer.ts';

const args = process.argv.slice(2);
const bundle = new URL('client.cjs', import.meta.url);
const service = new URL('../bundle/client.js', import.meta.url);
const version = versionAnswer(args);

if (args[0] === 'serve' && !args.includes('--help')) giveFreedMemoryBack();
if (version !== null) new Terminal(process.stdout, process.stderr).print(version);
else if (await reachesIntoService()) await import(existsSync(service) ? service.href : './client.ts');
else if (existsSync(bundle)) loadBundle();
else await import('./client.ts');

async function reachesIntoService(): Promise<boolean> {
  const { CATALOG } = await import('../lib/cli/catalog.ts');
  const words = args[0] === '__complete' ? args.flatMap((line) => line.split(' ')) : args;
  return CATALOG.some(({ name, onServer = false }) => onServer && words.includes(name));
}

function loadBundle(): void {
  enableCompileCache();
  createRequire(import.meta.url)('./client.cjs');
}
