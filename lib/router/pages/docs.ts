/** GET /docs/…: the pages of docs/, as HTML in the site's frame for people and as Markdown for agents. The build renders them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { PACKAGE_FOLDER } from '../../base/files/package-folder.ts';
import type { RouterContext } from '../context.ts';
import { pathOf } from '../http/query-string.ts';
import type { RequestHandler } from '../http/request.ts';
import { Asset, sendAsset } from './asset.ts';
import { docsAddress, docsMarkdown } from './docs-links.ts';
import { Html } from './html.ts';
import { type HostSettings, page } from './layout.ts';
import { setPagePolicy } from './page-policy.ts';
import { type Theme, themeOf } from './theme.ts';

export const DOCS = '/docs';

/** Where scripts/build-docs.mjs writes. */
const BUILT = join(PACKAGE_FOLDER, 'dist', 'docs');

/** A page of docs/. */
export interface DocsEntry {
  /** Its file, without `.md`. */
  readonly name: string;
  readonly title: string;
}

/** In the order of docs/README.md, which is the first. */
export function docsEntries(): readonly DocsEntry[] {
  const lines = readFileSync(join(BUILT, 'pages.tsv'), 'utf8').split('\n');
  return lines.map((line) => line.split('\t')).map(([name = '', title = '']) => ({ name, title }));
}

/** Files are read with the first request for them: most hosts are never asked for most of them. */
export function docs({ config, sessions }: Pick<RouterContext, 'config' | 'sessions'>): RequestHandler {
  const entries = docsEntries();
  const pages = new Map(entries.map((entry) => [docsAddress(entry.name), entry]));
  const files = new Map<string, () => Asset>([
    [`${DOCS}/search.json`, () => new Asset('search.json', readFileSync(join(BUILT, 'search.json')), 'asked')],
    ...entries.map(({ name }) => [`${DOCS}/${name}.md`.toLowerCase(), () => markdownOf(name)] as const),
  ]);
  const made = new Map<string, Asset>();
  const kept = (key: string, make: () => Asset): Asset => {
    const asset = made.get(key) ?? make();
    made.set(key, asset);
    return asset;
  };
  return async (request, response) => {
    const path = pathOf(request).toLowerCase();
    const entry = pages.get(path === DOCS ? docsAddress('README') : path);
    const file = files.get(path);
    if (entry !== undefined) {
      const isKnown = (await sessions.find(request)) !== null;
      const theme = themeOf(request);
      setPagePolicy(request, response);
      await sendAsset(request, response, kept(`${entry.name} ${isKnown} ${theme}`, () => htmlOf(entry, { isKnown, theme, host: config }))); // prettier-ignore
    } else if (file !== undefined) {
      await sendAsset(request, response, kept(path, file));
    } else {
      throw new AppError('not_found', 'There is no such page of the documentation.', {
        hints: [`${DOCS}/ lists them.`],
      });
    }
  };
}

function markdownOf(name: string): Asset {
  const text = readFileSync(join(PACKAGE_FOLDER, 'docs', `${name}.md`), 'utf8');
  return new Asset(`${name}.md`, Buffer.from(docsMarkdown(text, name)), 'asked');
}

/** Only who is logged in has a project to ask. */
const RUN = /<a class="run [^>]*>[^<]*<\/a>/g;

function htmlOf(
  { name, title }: DocsEntry,
  { isKnown, theme, host }: { isKnown: boolean; theme: Theme; host: HostSettings },
): Asset {
  const built = readFileSync(join(BUILT, `${name}.html`), 'utf8');
  const parts = isKnown ? built : built.replaceAll(RUN, '');
  const article = parts.indexOf('<article>'); // before it stands what leads to other pages and sections
  const document = page({
    title,
    account: isKnown ? 'unknown' : null, // the same bytes for all who are logged in
    above: new Html(parts.slice(0, article)),
    main: new Html(parts.slice(article)),
    kind: 'docs',
    script: 'docs',
    host,
    theme,
  });
  return new Asset(`${name}.html`, Buffer.from(document.text), 'visitor');
}
