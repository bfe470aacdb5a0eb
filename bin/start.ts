/**
 * `wl` on a suitable Node. A small command takes mostly as long as it takes to start: asking for the version loads nothing else,
 * and commands come from a bundled file if `npm run build` has made it: one for those that speak to a server, another for `serve`
 * and `admin`.
 */
import { createRequire, enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const args = process.argv.slice(2);
const bundle = new URL('client.cjs', import.meta.url);
/** The program of `serve` and `admin`. */
const service = new URL('../bundle/service.cjs', import.meta.url);

if (args[0] === 'serve')
  await load(service); // which has everything itself
else await start();

async function start(): Promise<void> {
  const { versionAnswer } = await import('../lib/cli/version-answer.ts');
  const version = versionAnswer(args);
  if (version !== null) {
    const { Terminal } = await import('../lib/cli/terminal.ts');
    new Terminal(process.stdout, process.stderr).print(version);
  } else if (await reachesIntoService()) {
    await load(service);
  } else {
    enableCompileCache();
    await load(bundle);
  }
}

async function reachesIntoService(): Promise<boolean> {
  if (args[0] === 'admin' && args.includes('backup')) {
    const { yieldToOthers } = await import('../lib/base/thread-priority.ts');
    yieldToOthers('much'); // the service beside it has people who wait
  }
  const { CATALOG } = await import('../lib/cli/catalog.ts');
  const words = args[0] === '__complete' ? args.flatMap((line) => line.split(' ')) : args;
  return CATALOG.some(({ name, onServer = false }) => onServer && words.includes(name));
}

async function load(program: URL): Promise<void> {
  // An import of node:fs would ask it for each of its functions, and load the streams that one of them needs.
  const { existsSync } = process.getBuiltinModule('node:fs');
  if (existsSync(program)) createRequire(import.meta.url)(fileURLToPath(program));
  else await import('./client.ts');
}
