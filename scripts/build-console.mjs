// Bundles what pages load: of each kind of page one script and one style sheet, in dist/public/console. Run by the build.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './root.mjs';

// Their licences require a notice wherever their code is.
const DRAWING =
  '/* Contains d3-array, d3-color, d3-format, d3-interpolate, d3-path, d3-scale, d3-shape, internmap (Mike Bostock, ISC), d3-sankey (Mike Bostock, BSD-3-Clause), p-queue, p-timeout (Sindre Sorhus, MIT), eventemitter3 (Arnout Kazemier, MIT). Their texts: https://spdx.org/licenses/ */';

const DASHBOARD_STYLES = ['dashboards', 'dashboard-cards', 'dashboard-pictures', 'dashboard-tables'];

/** Styles in the order in which they override one another. */
const ALL = { scripts: ['public/console/main.js', 'console/bar.ts'], styles: ['base', 'frame'] };
const CONSOLE = {
  scripts: [...ALL.scripts, 'console/shortcuts.ts'],
  styles: [...ALL.styles, 'side', 'console', 'forms', 'figures'],
};

const PAGES = {
  site: { ...ALL, styles: [...ALL.styles, 'landing', 'console', 'forms', 'figures', 'screens'] },
  docs: {
    scripts: [...ALL.scripts, 'console/docs.ts'],
    styles: [...ALL.styles, 'console', 'forms', 'figures', 'screens', 'docs'],
  },
  console: { ...CONSOLE, styles: [...CONSOLE.styles, 'screens'] },
  ask: {
    scripts: [...CONSOLE.scripts, 'console/ask.ts'],
    styles: [...CONSOLE.styles, 'ask', 'ask-answers', 'dashboard-tables', 'screens'],
  }, // events are drawn as there
  dashboards: {
    scripts: [...CONSOLE.scripts, 'console/dashboard/console-page.ts'],
    styles: [...CONSOLE.styles, ...DASHBOARD_STYLES, 'screens'],
    banner: DRAWING,
  },
  editor: {
    scripts: [...CONSOLE.scripts, 'console/editor/page.ts'],
    styles: [...CONSOLE.styles, ...DASHBOARD_STYLES, 'editor', 'screens'],
    banner: DRAWING,
  },
  // `wl dashboard view` and saved files, which have no frame.
  file: {
    scripts: ['console/dashboard/file-page.ts'],
    styles: ['base', 'frame', 'side', 'console', 'forms', ...DASHBOARD_STYLES],
    banner: DRAWING,
  },
};

const SETTINGS = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'warning',
};

/** A bundle of files, each imported by its path from the root. */
function bundle(name, loader, imports, options) {
  return build({
    ...SETTINGS,
    stdin: { contents: imports.join('\n'), resolveDir: ROOT, sourcefile: `${name}.${loader}`, loader },
    outfile: `dist/public/console/${name}.${loader}`,
    ...options,
  });
}

await Promise.all(
  Object.entries(PAGES).flatMap(([name, { scripts, styles, banner }]) => [
    bundle(
      name,
      'js',
      scripts.map((file) => `import './${file}';`),
      {
        format: 'esm',
        tsconfigRaw: '{}',
        ...(banner === undefined ? {} : { banner: { js: banner } }),
      },
    ),
    bundle(
      name,
      'css',
      styles.map((sheet) => `@import './public/styles/${sheet}.css';`),
      // No older syntax in place of nesting, light-dark() and the like: it would double the sheet.
      { target: 'esnext' },
    ),
  ]),
);

/** Dashboards that are built in, as pages draw them. */
const { checkDashboard } = await import('../dist/lib/dashboards/check.js');
mkdirSync(join(ROOT, 'dist/public/console'), { recursive: true });
for (const name of ['overview', 'person']) {
  const { dashboard, problems } = checkDashboard(readFileSync(join(ROOT, `console/${name}.yaml`), 'utf8'));
  for (const { line, column, message } of problems)
    process.stderr.write(`console/${name}.yaml:${line}:${column} ${message}\n`);
  if (dashboard === null) process.exit(1);
  writeFileSync(join(ROOT, `dist/public/console/${name}.json`), JSON.stringify(dashboard));
}
