/** The page of `wl dashboard view` and the files it loads. Nothing in it is inline, and nothing comes from elsewhere. */
import { pageFiles } from './page-files.ts';

export interface ViewerAsset {
  readonly type: string;
  readonly body: Buffer;
}

/** By name under /assets. */
export function viewerAssets(): ReadonlyMap<string, ViewerAsset> {
  const { script, style } = pageFiles();
  return new Map([
    ['dashboards.js', { type: 'text/javascript; charset=utf-8', body: Buffer.from(script) }],
    ['dashboards.css', { type: 'text/css; charset=utf-8', body: Buffer.from(style) }],
  ]);
}

/** The same for all dashboards: the script reads the URL. */
export function viewerPage(): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Dashboards · Windlass</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/assets/dashboards.css" />
    <script type="module" src="/assets/dashboards.js"></script>
  </head>
  <body class="console dashboards">
    <a class="skip" href="#main">Skip to content</a>
    <header class="bar"><a class="brand" href="/">Windlass</a></header>
    <div class="side"><nav class="dash-list" aria-label="Dashboards" data-list hidden></nav></div>
    <main id="main" tabindex="-1">
      <div data-dashboards="viewer"><p>One moment…</p></div>
    </main>
    <footer class="foot"><p>Local preview</p></footer>
  </body>
</html>
`;
}
