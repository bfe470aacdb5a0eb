// Preloaded into a service by code-cache.mjs, in all its threads: once the file WINDLASS_KEEP_CODE exists, each thread writes
// what V8 has compiled of its program so far.
const { chmodSync, existsSync, renameSync, writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const vm = require('node:vm');

const PROGRAM = /\.code\.cjs$/;
const LOOK = 20; // milliseconds
// As while a thread starts (lib/base/v8-flags.ts).
const BUILT_IN_FLAGS = [
  '--heap-growing-percent=0',
  '--allocation-site-pretenuring',
  '--invocation-count-for-maglev=400',
  '--minimum-invocations-after-ic-update=500',
];

let program = null; // of this thread
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    if (PROGRAM.test(options?.filename)) program = { script: this, file: options.filename };
  }
};

function look() {
  if (program === null || !existsSync(process.env.WINDLASS_KEEP_CODE)) return;
  const { script, file } = program;
  program = null;
  for (const flag of BUILT_IN_FLAGS) setFlagsFromString(flag);
  const made = file.replace(PROGRAM, '.code.bin');
  writeFileSync(`${made}.new`, script.createCachedData());
  chmodSync(`${made}.new`, 0o644); // a service's files are private to its user
  renameSync(`${made}.new`, made);
}

setInterval(look, LOOK).unref();

// A query thread never reaches its timers: between two tasks it waits for the next.
const { wait } = Atomics;
Atomics.wait = (...args) => {
  look();
  return wait(...args);
};
