import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { renderPage } from '../../scripts/docs-site/render.ts';
import { buildSite } from '../../scripts/docs-site/site.ts';
import { docsMarkdown } from '../../lib/router/pages/docs-links.ts';

const rendered = (source: string, name = 'page'): string =>
  renderPage(`# Title\n\n${source}`, name, new Set(['page', 'other', 'in/side'])).html.text;

describe('pages of docs/', () => {
  const files = globSync('docs/**/*.md').sort();
  const sources = new Map(files.map((file) => [file.slice('docs/'.length, -'.md'.length), readFileSync(file, 'utf8')]));

  it('are all listed in docs/README.md, by their titles', () => {
    const list = sources.get('README') ?? '';
    for (const [name, source] of sources) {
      const title = /^# (.+)$/m.exec(source)?.[1];
      if (name !== 'README') expect(list, name).to.contain(`- [${title}](${name}.md)`);
    }
  });

  it('have links that lead somewhere on a forge: to files of the checkout, and to headings', () => {
    const anchors = new Map<string, ReadonlySet<string>>();
    const anchorsOf = (file: string): ReadonlySet<string> => {
      const known = anchors.get(file) ?? new Set(idsOf(rendered(readFileSync(file, 'utf8').replaceAll(LINK, '$1'))));
      anchors.set(file, known);
      return known;
    };
    let followed = 0;
    for (const file of files) {
      for (const [link, , target = ''] of prose(readFileSync(file, 'utf8')).matchAll(LINK)) {
        if (/^https?:/.test(target)) continue;
        const [path = '', anchor] = target.split('#');
        const to = path === '' ? file : normalize(join(dirname(file), path));
        expect(existsSync(to), `${file}: ${link}`).to.equal(true);
        if (anchor !== undefined) expect([...anchorsOf(to)], `${file}: ${link}`).to.include(anchor);
        followed += 1;
      }
    }
    expect(followed).to.be.greaterThan(100);
  });

  it('are in the index of the search, section by section, without answers', () => {
    const sections: unknown = JSON.parse(buildSite(new Map([['README', '# All\n\n- [A](a.md)'], ['a', A]])).get('search.json') ?? ''); // prettier-ignore
    expect(sections).to.deep.equal([
      ['/docs/', 'All', '', 'A'],
      ['/docs/a', 'A & b', '', 'First words.'],
      ['/docs/a#count-it', 'A & b', 'Count it', 'signup | count metric meaning count how many'],
    ]);
  });
});

const A = `# A & b\n\nFirst **words**.\n\n## \`Count\` it\n\n\`\`\`pipe\nsignup | count\n\`\`\`\n\n\`\`\`text\nthe answer\n\`\`\`\n\n| metric | meaning |\n| --- | --- |\n| \`count\` | how many |\n`;
const LINK = /!?\[([^\]]*)\]\(([^)\s]+)\)/g;

/** Without blocks of code. */
function prose(text: string): string {
  return text.replaceAll(/^```[^]*?^```/gm, '');
}

function idsOf(html: string): string[] {
  return [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
}

describe('rendering a page of docs/', () => {
  it('shows HTML in it as text, and leaves comments out', () => {
    expect(rendered('<img src=x onerror=alert(1)>\n\nA <b>word</b>.\n\n<!-- nothing -->')).to.contain('&lt;img src=x onerror=alert(1)&gt;').and.contain('A &lt;b&gt;word&lt;/b&gt;.').and.not.contain('nothing'); // prettier-ignore
    expect(rendered('```pipe\n"<script>" | count\n```')).to.contain('&lt;script&gt;').and.not.contain('<script>');
    expect(rendered('## <i>x</i>')).to.not.contain('<i>');
  });

  it('refuses links to nothing, and to what is no page', () => {
    for (const href of ['missing.md', 'javascript:alert(1)', 'data:text/html,x']) {
      expect(() => rendered(`[words](${href})`), href).to.throw('link to nothing');
    }
  });

  it('makes addresses of a host out of relative links', () => {
    expect(rendered('[w](other.md#part)')).to.contain('<a href="/docs/other#part">w</a>');
    expect(rendered('[w](../other.md)', 'in/side')).to.contain('<a href="/docs/other">w</a>');
    expect(rendered('[w](in/side.md)')).to.contain('<a href="/docs/in/side">w</a>');
    expect(rendered('[w](#title)')).to.contain('<a href="#title">w</a>');
    expect(rendered('[w](https://example.com/a?b=1&c=2)')).to.contain('<a href="https://example.com/a?b=1&amp;c=2">w</a>');
  }); // prettier-ignore

  it('gives equal headings different anchors, as forges do', () => {
    expect(idsOf(rendered('## `wl query`\n\n## Who, when?\n\n## Who, when?'))).to.deep.equal([
      ...['title', 'wl-query', 'who-when', 'who-when-1'],
    ]);
  });

  it('offers to run a query, as it is written', () => {
    expect(rendered('```pipe\nsignup | where a = "b&c"\n```')).to.contain('<a class="run button" href="/console/ask#q=signup%20%7C%20where%20a%20%3D%20%22b%26c%22">Run this</a>'); // prettier-ignore
  });

  it('leaves out of the Markdown what only a checkout has', () => {
    const text = 'See [a](../deploy/x.yaml), [b](other.md), [c](https://example.com) and ![d](pictures/d.webp).';
    expect(docsMarkdown(text, 'page')).to.equal('See a, [b](other.md), [c](https://example.com) and .');
    expect(docsMarkdown('[up](../other.md), [out](../../x.md)', 'in/side')).to.equal('[up](../other.md), out');
  });
});
