import { expect } from 'chai';
import { displayWidth } from '../../../lib/cli/output/display-width.ts';
import { languageText } from '../../../lib/cli/help/help.ts';
import { markdownText } from '../../../lib/cli/help/markdown-text.ts';
import { LATER_SOURCES, LATER_STAGES, SOURCES, STAGES } from '../../../lib/dsl/parse/keywords.ts';
import { METRICS } from '../../../lib/dsl/plan/metrics.ts';
import { parse } from '../../../lib/dsl/parse/parse.ts';
import { wlInside } from '../run-inside.ts';

describe('wl help', () => {
  it('shows what --help shows', async () => {
    for (const words of [[], ['version'], ['admin', 'org']]) {
      const asked = await wlInside(['help', ...words]);
      expect(asked, words.join(' ')).to.deep.equal(await wlInside([...words, '--help']));
      expect(asked.code).to.equal(0);
    }
  });

  it('says when there is nothing to show', async () => {
    const { code, stdout, stderr } = await wlInside(['help', 'bogus']);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include('no help for `bogus`');
  });

  it('breaks no example in two, which could not be copied', async () => {
    const long = [
      'wl admin limits org_… --projects 10 --events-per-month none',
      '# ten projects, any number of events',
    ];
    const { stdout } = await wlInside(['admin', 'limits', '--help']);
    expect(stdout.split('\n').map((line) => line.trim())).to.include.members(long);
    const short = (await wlInside(['config', 'list', '--help'])).stdout;
    expect(short, 'beside each other where there is room').to.match(/^ {2}wl config list {2,}keys are masked$/m);
  });

  it('has a page of the query language', async () => {
    const { code, stdout, stderr } = await wlInside(['help', 'query']);
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.equal(languageText(80));
    const missing = [...SOURCES, ...LATER_SOURCES, ...STAGES, ...LATER_STAGES, ...METRICS].filter(
      (word) => !new RegExp(`\\b${word}\\b`).test(stdout),
    );
    expect(missing).to.deep.equal([]);
    expect((await wlInside(['help', 'query', '--no-color'])).stdout).to.equal(stdout);
  });

  it('has queries on that page that are right', () => {
    const [examples = ''] = languageText(80).split(/^WRITING$/m);
    const queries = examples.split('\n\n').filter((block) => /^ {2}.*[^.]$/s.test(block));
    expect(queries.length).to.be.greaterThan(20);
    for (const query of queries) expect(() => parse(query), query).not.to.throw();
  });

  it('fits that page into the terminal, but for long queries', () => {
    for (const width of [50, 80, 100]) {
      const [, reference = ''] = languageText(width).split(/^WRITING$/m);
      const wide = reference.split('\n').filter((line) => displayWidth(line) > width && line.trim().includes(' '));
      expect(wide, `${width}`).to.deep.equal([]);
      expect(reference).not.to.match(/\*\*|\]\(|\| ---/);
    }
  });

  it('makes plain text of our Markdown', () => {
    const page = [
      '# A `page`',
      '',
      'Words with **weight**, [a link](x.md) and `a | b` in a line that is long.',
      '',
      '- one item of a list',
      '- another',
      '',
      '| what | is | for |',
      '| --- | --- | --- |',
      '| `a \\| b` | first | all |',
      '| c |  | none |',
      '',
      '```pipe',
      'signup | count',
      '```',
    ].join('\n');
    expect(markdownText(page, 30)).to.equal(
      [
        'A PAGE',
        '',
        '  Words with weight, a link',
        '  and a | b in a line that is',
        '  long.',
        '',
        '  - one item of a list',
        '  - another',
        '',
        '  a | b',
        '      is: first',
        '      for: all',
        '  c',
        '      for: none',
        '',
        '  signup | count',
      ].join('\n'),
    );
  });
});
