/** Programs of threads. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';

/** What `npm run build` bundles, from a module of lib/ as from a bundle itself. */
const BUNDLES = new URL('../bundle/', import.meta.url);

/**
 * The bundle of a thread's program, which loads in half the time of its modules; where there is none, as under a test that
 * changes modules, the program itself.
 */
export function threadFile(module: URL): URL {
  const bundle = new URL(`${basename(module.pathname, '.js')}.cjs`, BUNDLES);
  return existsSync(bundle) ? bundle : module;
}
