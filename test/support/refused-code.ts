/** Preloaded into all threads of a service (NODE_OPTIONS=--import=…): prints which programs run without cached code to stderr. */
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import vm from 'node:vm';

const KEPT = /(?:service|writer-thread|worker)\.code\.cjs$/;

export const TELL_REFUSED_CODE = { NODE_OPTIONS: `--import=${import.meta.url}` };

/** Whether this Node made the cached code: another one cannot use it. */
export function codeIsKept(): boolean {
  return readFileSync(new URL('../../bundle/code.key', import.meta.url), 'utf8').startsWith(`${process.version} `);
}

if (process.env['NODE_OPTIONS'] === TELL_REFUSED_CODE.NODE_OPTIONS) {
  vm.Script = class extends vm.Script {
    constructor(source: string, options: vm.ScriptOptions = {}) {
      super(source, options);
      const { filename = '' } = options;
      if (KEPT.test(filename) && this.cachedDataRejected !== false) process.stderr.write(`refused: ${filename}\n`);
    }
  };
  syncBuiltinESMExports();
}
