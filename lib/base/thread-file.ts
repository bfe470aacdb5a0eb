/** Programs of threads. */
import { existsSync } from 'node:fs';

/** What starts a thread: a module of lib/, or a bundle itself. */
const STARTER = /^(.*)\/(?:lib(?:\/.+)?|bundle)\/([\w-]+)\.js$/;

/**
 * The bundle of a thread's program, which loads in half the time of its modules; where there is none, as under a test that
 * changes modules, the program itself.
 */
export function threadFile(module: URL): URL {
  const bundle = new URL(module.href.replace(STARTER, '$1/bundle/$2.cjs'));
  return existsSync(bundle) ? bundle : module;
}
