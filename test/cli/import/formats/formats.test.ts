import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { IMPORT_FORMATS } from '../../../../lib/cli/import/formats/formats.ts';
import { fixtureJson, fixtureRecords } from './fixture-records.ts';

/** What each file of test/fixtures/import is. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  mixpanel: ['mixpanel.jsonl', 'mixpanel-engage.jsonl'],
  segment: ['segment.jsonl'],
  amplitude: ['amplitude.ndjson'],
  posthog: ['posthog.jsonl', 'posthog.csv', 'posthog-columns.csv'],
  ga4: ['ga4.jsonl'],
  plausible: readdirSync('test/fixtures/import/plausible')
    .sort()
    .map((file) => `plausible/${file}`),
  umami: ['umami.csv', 'umami-event_data.csv', 'umami-session_data.csv'],
  ndjson: ['events.ndjson'],
};

/** Those that take any record with an event_type, if no other does. */
const LAST = ['ndjson', 'csv'];

async function recognized(file: string): Promise<readonly string[]> {
  const [first] = await fixtureRecords(file);
  const names = IMPORT_FORMATS.filter((format) => format.recognizes(first!)).map(({ name }) => name);
  const own = names.filter((name) => !LAST.includes(name));
  return own.length > 0 ? own : names.slice(0, 1);
}

describe('formats of imports', () => {
  it('recognize the files of their own product, and those of no other', async () => {
    for (const [name, files] of Object.entries(FILES))
      for (const file of files) expect([file, await recognized(file)]).to.deep.equal([file, [name]]);
    expect(await recognized('orders.csv')).to.deep.equal([]);
  });

  for (const [name, files] of Object.entries(FILES))
    it(`make of each record of ${name} exactly these bodies, and say what is lost`, async () => {
      const format = IMPORT_FORMATS.find((one) => one.name === name)!;
      const mapped: Record<string, unknown> = {};
      for (const file of files) mapped[file] = (await fixtureRecords(file)).map((record) => format.map(record));
      expect(JSON.parse(JSON.stringify(mapped))).to.deep.equal(fixtureJson(`mapped/${name}.json`));
    });
});
