import { expect } from 'chai';
import { type SchemaNode, wordsAt } from '../../console/editor/yaml-words.ts';
import { DASHBOARD_SCHEMA } from '../../lib/dashboards/schema.ts';

const HEAD = `version: 1
id: growth
title: Growth
variables:
  - name: time
    kind: range
  - { name: country, kind: select, fragment: 'where _country = {{value}}' }
sections:
  - title: Now
    cards:
`;
/** As a page reads it. */
const SCHEMA = JSON.parse(JSON.stringify(DASHBOARD_SCHEMA)) as SchemaNode;
const NAMES = { events: ['sign up', 'purchase'], fields: ['event_properties.plan'], cohorts: [] };

/** The words at `‸` in a text below the head, and what is typed of them. */
function at(text: string, head = HEAD): { words: string[]; partial: string; rest: string } | null {
  const whole = head + text;
  const cursor = whole.indexOf('‸');
  const proposed = wordsAt(whole.replace('‸', ''), cursor, { schema: SCHEMA, names: NAMES });
  if (proposed === null) return null;
  return {
    words: proposed.words.map((word) => word.text),
    partial: proposed.partial,
    rest: whole.slice(proposed.start, cursor),
  };
}

describe('what may stand in the YAML of a dashboard', () => {
  it('is keys of the place, without those that are there', () => {
    expect(at('      - ki‸\n        title: x')).to.deep.include({ partial: 'ki', rest: 'ki' });
    const card = at('      - ki‸\n        title: x\n      - query: y')!.words;
    expect(card).to.include('kind: ').and.include('query: ').and.not.include('title: ').and.not.include('cards: ');
    expect(at('      - kind: metric\n        ‸')!.words).to.include('viz: ').and.not.include('kind: ');
    expect(at('      - kind: metric\n        options:\n          ‸')!.words).to.include('compare: ');
    expect(at('  - title: Then\n    ‸')!.words).to.include('cards: ').and.not.include('title: ');
    expect(at('‸')!.words).to.include('refresh: ').and.not.include('title: ').and.not.include('sections: ');
  });

  it('is keys within braces', () => {
    expect(at('      - { id: x, ‸')!.words).to.include('kind: ').and.not.include('id: ');
    expect(at('      - { id: x, layout: { w: 4, ‸')!.words).to.deep.equal(['x: ', 'h: ']);
    expect(at('      - { id: x, layout: { w: 4 }, vi‸ }')).to.deep.include({ partial: 'vi' });
  });

  it('is values of the key, those that fit the kind', () => {
    expect(at('      - kind: ‸')!.words).to.include('funnel');
    expect(at('      - kind: funnel\n        viz: ‸')!.words).to.have.members(['funnel', 'bar', 'table']);
    expect(at('      - { kind: journey, viz: p‸')).to.deep.include({ words: ['table', 'path'], partial: 'p' });
    expect(at('      - kind: metric\n        options: { compare: ‸')!.words).to.deep.equal(['true', 'false']);
    expect(at('timezone: Europe/‸')!.words).to.include('Europe/Berlin');
    expect(at('  - kind: input\n    name: x\n    check: ‸', 'variables:\n')!.words).to.include('email');
    expect(at('  - kind: input\n    ‸', 'variables:\n')!.words)
      .to.include('placeholder: ')
      .and.not.include('presets: ');
  });

  it('is words of the language in queries, quoted as the text around them', () => {
    expect(at('      - query: funnel sig‸')).to.deep.include({ partial: 'sig', rest: 'sig' });
    expect(at('      - query: funnel ‸')!.words).to.include('"sign up"');
    expect(at("      - { query: 'funnel ‸")!.words).to.include('"sign up"');
    expect(at('      - query: "funnel ‸')!.words).to.include('\\"sign up\\"');
    expect(at('      - query: |\n          purchase\n          | co‸')).to.deep.include({ partial: 'co', rest: 'co' });
    expect(at('      - query: |\n          purchase\n          | co‸')!.words).to.include('count');
    expect(at('      - queries:\n          part: purchase | count by event_properties.p‸')!.words).to.include(
      'event_properties.plan',
    );
  });

  it('is the variables in a hole', () => {
    expect(at('      - query: purchase | {{‸')!.words).to.deep.equal(['time}}', 'country}}']);
    expect(at('      - query: purchase | {{ co‸')).to.deep.include({ partial: 'co', rest: 'co' });
    expect(at("  - name: x\n    fragment: 'where _os = {{‸", 'variables:\n')!.words).to.deep.equal(['value}}']);
  });

  it('is nothing in comments and in what is no YAML', () => {
    for (const text of ['# ki‸', '      - kind: metric # v‸', '??? x‸', '}} ]] ‸'])
      expect(at(text)?.words ?? [], text).to.deep.equal([]);
  });

  it('is found for any text, wherever the cursor is', () => {
    const text = `${HEAD}      - { id: "x, query: 'a | {{time}} | count', layout: [ { w } ], title: 'it''s' }\n      - kind: markdown\n        text: |\n          # A {{ b\n`;
    for (let cursor = 0; cursor <= text.length; cursor++) {
      const proposed = wordsAt(text, cursor, { schema: SCHEMA, names: NAMES });
      if (proposed !== null) expect(proposed.start, `at ${cursor}`).to.be.within(0, cursor);
    }
  });
});
