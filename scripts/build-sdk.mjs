// Bundles sdk/ for pages: dist/public/wl.js and wl.choice.js. Run by the build.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { minify } from 'terser';
import { ROOT } from './root.mjs';

/** Properties that nobody outside the script sees, so not those of `wl`, settings or events. Their names become one letter. */
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
  ...[
    'identity',
    'recorder',
    'members',
    'setBefore',
    'leaving',
    'settle',
    'settings',
    'allowed',
    'delivery',
    'safe',
    'log',
    'maker',
    'hook',
    'who',
    'tell',
    'address',
    'batch',
  ],
];

/** What pages load: file names in dist/public/, each with its source. */
const SCRIPTS = { 'wl.js': 'sdk/browser/script.ts', 'wl.choice.js': 'sdk/browser/choice-script.ts' };

/** The scripts as pages load them: `{path, contents}` each. */
export async function bundleScripts() {
  const made = Object.entries(SCRIPTS).map(([name, entry]) =>
    build({
      absWorkingDir: ROOT,
      entryPoints: [entry],
      outfile: `dist/public/${name}`,
      bundle: true,
      minify: true,
      mangleProps: new RegExp(`^(?:${INNER.join('|')})$`),
      format: 'iife',
      target: 'es2021',
      tsconfigRaw: '{}',
      legalComments: 'none',
      logLevel: 'warning',
      write: false,
    }),
  );
  return Promise.all(
    made.map(async (script) => {
      const [{ path, text }] = (await script).outputFiles;
      // esbuild leaves functions and constants that are used once where they stand: 4 % of the script.
      const { code } = await minify(text, { ecma: 2020, compress: { ecma: 2020, passes: 3 } });
      return { path, contents: Buffer.from(`${code}\n`) };
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(join(ROOT, 'dist', 'public'), { recursive: true });
  for (const { path, contents } of await bundleScripts()) writeFileSync(path, contents);
}
