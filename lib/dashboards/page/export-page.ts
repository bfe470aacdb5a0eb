/**
 * A dashboard as one HTML file: style, script and data are inside, and its own policy lets nothing else run or load. It names
 * scripts and styles by their hashes, so that a title that poses as one stays text.
 */
import { createHash } from 'node:crypto';
import { escapeHtml } from '../../base/text/escape-html.ts';
import { pageFiles } from './page-files.ts';
import type { SavedDashboard } from '../data.ts';

/** JSON that ends no element and starts no comment, wherever it is inserted. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'); // prettier-ignore
}

export function exportPage(saved: SavedDashboard): string {
  const { script, style } = pageFiles();
  const dashboard = saved.mode === 'report' ? saved.data.dashboard : saved.dashboard;
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) throw new Error('the page would end its own script');
  const connect = saved.mode === 'report' ? "'none'" : new URL(saved.host).origin;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    `connect-src ${connect}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}" />
    <meta name="referrer" content="no-referrer" />
    <title>${escapeHtml(dashboard.title)} · Windlass</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="data:," />
    <style>${style}</style>
  </head>
  <body class="console dashboards">
    <a class="skip" href="#main">Skip to content</a>
    <header class="bar"><span class="brand">Windlass</span></header>
    <main id="main" tabindex="-1"><div data-dashboards="file"></div></main>
    <footer class="foot"><p>${saved.mode === 'report' ? REPORT : INTERACTIVE}</p></footer>
    <script type="application/json" id="dashboard-data">${scriptJson(saved)}</script>
    <script type="module">${script}</script>
  </body>
</html>
`;
}

const REPORT = 'A snapshot: it works offline and sends no requests.';
const INTERACTIVE = 'This file contains a token that can query the project. Protect it like a password.';

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
