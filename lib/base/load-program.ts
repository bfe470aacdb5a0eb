/** Bundled programs, and the code that V8 made of them while the build exercised them (scripts/code-cache.mjs). */
import { existsSync, readFileSync } from 'node:fs';
import { constants, Script } from 'node:vm';

type Program = (
  exports: unknown,
  require: NodeJS.Require,
  module: NodeJS.Module,
  filename: string,
  folder: string,
) => void;

/**
 * Runs `NAME.code.cjs`, a function as Node makes of a module, as the module at `filename`, `NAME.cjs`, beside it. With the functions
 * in `NAME.code.bin` V8 need not compile each when it is first called, which is half the time of a first query. V8 refuses code of
 * another version of Node, or made with other flags, and then compiles as usual.
 */
export function loadProgram(module: NodeJS.Module, require: NodeJS.Require, filename: string): void {
  const file = filename.replace(/\.cjs$/, '.code.cjs');
  const code = filename.replace(/\.cjs$/, '.code.bin');
  const source = readFileSync(file, 'latin1'); // it is ASCII
  const cachedData = existsSync(code) ? readFileSync(code) : null;
  const script = new Script(source, {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData === null ? {} : { cachedData }),
  });
  letGo(cachedData);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the text says
  const program = script.runInThisContext() as Program;
  program(module.exports, require, module, filename, module.path);
}

/** V8 has read it, and whole heaps are collected too seldom: one of megabytes that is only garbage would stay in each thread. */
function letGo(read: Buffer<ArrayBuffer> | null): void {
  if (read !== null && read.length === read.buffer.byteLength) read.buffer.transfer(0);
}
