// Bundles console/ for pages: a script in dist/public/console for each page that has its own. Run by the build.
import { build } from 'esbuild';
import { ROOT } from './root.mjs';

const SCRIPTS = [
  { name: 'ask', entry: 'console/ask.ts' },
  { name: 'overview', entry: 'console/overview.ts' },
  {
    name: 'dashboards',
    entry: 'console/dashboard/page.ts',
    // Their licences require a notice wherever their code is.
    banner:
      '/* Contains d3-array, d3-color, d3-format, d3-interpolate, d3-path, d3-scale, d3-shape, internmap (Mike Bostock, ISC), d3-sankey (Mike Bostock, BSD-3-Clause), p-queue, p-timeout (Sindre Sorhus, MIT), eventemitter3 (Arnout Kazemier, MIT). Their texts: https://spdx.org/licenses/ */',
  },
];

await Promise.all(
  SCRIPTS.map(({ name, entry, banner }) =>
    build({
      absWorkingDir: ROOT,
      entryPoints: { [name]: entry },
      outdir: 'dist/public/console',
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      tsconfigRaw: '{}',
      legalComments: 'none',
      logLevel: 'warning',
      ...(banner === undefined ? {} : { banner: { js: banner } }),
    }),
  ),
);
