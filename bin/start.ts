/**
 * `wl` on a Node that it can run on. Starting fast is most of what a small command takes: a question for the version loads
 * nothing else, and the commands come from one bundled file, where `npm run build` has made it: those that speak to a server from
 * one, `serve` and `admin` from another.
 */
import { existsSync } from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { giveFreedMemoryBack, keepHeapsSmall } from '../lib/cli/freed-memory.ts';
import { Terminal } from '../lib/cli/terminal.ts';
import { versionAnswer } from '../lib/cli/version-answer.ts';

const args = process.argv.slice(2);
const bundle = new URL('client.cjs', import.meta.url);
/** A service runs as the build has compiled it; commands beside one have other flags, and a cache of their own where Node is told of one. */
const service = new URL(args[0] === 'serve' ? '../bundle/service.cjs' : '../bundle/service.code.cjs', import.meta.url);
const version = versionAnswer(args);

if (args[0] === 'serve' && !args.includes('--help')) {
  giveFreedMemoryBack();
  keepHeapsSmall();
}
if (version !== null) new Terminal(process.stdout, process.stderr).print(version);
else if (await reachesIntoService()) await load(service);
else {
  enableCompileCache();
  await load(bundle);
}

async function reachesIntoService(): Promise<boolean> {
  const { CATALOG } = await import('../lib/cli/catalog.ts');
  const words = args[0] === '__complete' ? args.flatMap((line) => line.split(' ')) : args;
  return CATALOG.some(({ name, onServer = false }) => onServer && words.includes(name));
}

async function load(program: URL): Promise<void> {
  if (existsSync(program)) createRequire(import.meta.url)(fileURLToPath(program));
  else await import('./client.ts');
}
