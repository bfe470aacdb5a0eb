/** All pages of docs/ in the form in which a host serves them: their main parts, a list, and what the search looks through. */
import { docsAddress, docsLink } from '../../lib/router/pages/docs-links.ts';
import type { DocsEntry } from '../../lib/router/pages/docs.ts';
import { html, type Html } from '../../lib/router/pages/html.ts';
import { renderPage, type RenderedPage } from './render.ts';

/** File names with their contents. @param sources The pages by their names, with `README`, the list of all. */
export function buildSite(sources: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const groups = groupsOf(sources);
  const names = groups.flatMap((group) => group.names);
  const pages = new Map(names.map((name) => [name, renderPage(sources.get(name) ?? '', name, new Set(names))]));
  const entries = names.map((name): DocsEntry => ({ name, title: pages.get(name)?.title ?? name }));
  const list = groups.map((group) => ({ ...group, entries: entries.filter(({ name }) => group.names.includes(name)) }));
  return new Map([
    ...[...pages].map(([name, page]) => [`${name}.html`, partsOf(name, page, list).text] as const),
    ['pages.tsv', entries.map(({ name, title }) => `${name}\t${title}`).join('\n')],
    ['search.json', JSON.stringify(searchIndex(pages))],
  ]);
}

interface Group {
  readonly title: string;
  readonly names: readonly string[];
}

/** README itself, the pages that it lists under its headings, and others. */
function groupsOf(sources: ReadonlyMap<string, string>): readonly Group[] {
  const listed = (sources.get('README') ?? '').split(/^## /m).slice(1).map((part): Group => {
    const links = [...part.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)];
    return {
      title: part.slice(0, part.indexOf('\n')),
      names: links.flatMap(([, target = '']) => docsLink(target, 'README')?.name ?? []),
    };
  }); // prettier-ignore
  const known = new Set(['README', ...listed.flatMap(({ names }) => names)]);
  const others = [...sources.keys()].filter((name) => !known.has(name));
  return [{ title: '', names: ['README'] }, ...listed, { title: 'More', names: others }].filter(({ names }) => names.length > 0); // prettier-ignore
}

function partsOf(
  name: string,
  { html: article, sections }: RenderedPage,
  groups: readonly (Group & { readonly entries: readonly DocsEntry[] })[],
): Html {
  const link = (entry: DocsEntry): Html =>
    html`<li>
      <a href="${docsAddress(entry.name)}" ${entry.name === name && html`aria-current="page"`}>${entry.title}</a>
    </li>`;
  const contents = sections.filter(({ level }) => level === 2 || level === 3);
  return html`<div class="docs-side">
      <search class="docs-search" data-search hidden>
        <label for="docs-search" class="unseen">Search the documentation</label>
        <input id="docs-search" type="search" placeholder="Search" autocomplete="off" aria-keyshortcuts="/" />
        <kbd aria-hidden="true">/</kbd>
        <div data-found hidden></div>
        <p class="unseen" role="status" data-count></p>
      </search>
      <nav aria-label="Documentation">
        <details>
          <summary>All pages</summary>
          ${groups.map(
            ({ title, entries }) =>
              html`${title !== '' && html`<p>${title}</p>`}
                <ul>
                  ${entries.map(link)}
                </ul>`,
          )}
        </details>
      </nav>
    </div>
    <nav class="docs-contents" aria-label="On this page">
      <details>
        <summary>On this page</summary>
        <ul>
          ${contents.map(({ id, heading, level }) => html`<li class="level-${level}"><a href="#${id}">${heading}</a></li>`)}
        </ul>
        <p><a href="/docs/${name}.md">As Markdown</a></p>
      </details>
    </nav>
    <article>${article}</article>`;
}

/** As console/docs-search.ts reads it: each section with the address, its page's title, its heading and its text. */
function searchIndex(pages: ReadonlyMap<string, RenderedPage>): readonly (readonly string[])[] {
  return [...pages].flatMap(([name, { title, sections }]) =>
    sections.map(({ level, id, heading, text }) => [
      docsAddress(name) + (level === 1 ? '' : `#${id}`),
      title,
      level === 1 ? '' : heading,
      text,
    ]),
  );
}
