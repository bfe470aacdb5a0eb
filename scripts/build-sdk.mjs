// Bundles sdk/ for pages: dist/public/wl.js. Run by the build.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from './root.mjs';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/**
 * Names of properties that nobody outside of the script sees: not those of `wl`, of settings, of events. They become one letter.
 */
const INNER = [
  ...[
    'added',
    'spill',
    'onTrouble',
    'onTimer',
    'allowed',
    'outlives',
    'bytes',
    'head',
    'text',
    'kind',
    'queue',
    'post',
  ],
  ...[
    'renew',
    'forget',
    'setUser',
    'persist',
    'device',
    'session',
    'event',
    'remove',
    'shared',
    'page',
    'keep',
    'wait',
  ],
  ...['identity', 'recorder', 'delivery', 'safe', 'log', 'previous'],
];

/** The script as pages load it, its text. */
export async function bundleScript() {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['sdk/browser/script.ts'],
    outfile: 'dist/public/wl.js',
    bundle: true,
    minify: true,
    mangleProps: new RegExp(`^(?:${INNER.join('|')})$`),
    format: 'iife',
    target: 'es2020',
    define: { LIBRARY: JSON.stringify(`wl.js/${version}`) },
    tsconfigRaw: '{}',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  return outputFiles[0];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { path, contents } = await bundleScript();
  mkdirSync(join(ROOT, 'dist', 'public'), { recursive: true });
  writeFileSync(path, contents);
}
