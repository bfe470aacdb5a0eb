#!/usr/bin/env node
// `wl`. Imports nothing before Node is known to be new enough: an older one could not even parse the rest.
const NEEDED = '22.12';
const [major = 0, minor = 0] = NEEDED.split('.').map(Number);
const [, foundMajor = 0, foundMinor = 0] = (/^v(\d+)\.(\d+)/.exec(process.version) || []).map(Number);

if (foundMajor > major || (foundMajor === major && foundMinor >= minor)) {
  void import('../lib/cli/freed-memory.ts').then(({ giveFreedMemoryBack }) => {
    giveFreedMemoryBack();
    return import('./start.ts');
  });
} else {
  process.stderr.write(`wl needs Node ${NEEDED} or newer; this is Node ${process.version.slice(1)}.\n`);
  process.exitCode = 1;
}
