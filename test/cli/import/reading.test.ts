import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { withFiles } from '../../../lib/cli/import/files.ts';
import { ndjson } from '../../../lib/cli/import/formats/ndjson.ts';
import { csv } from '../../../lib/cli/import/formats/csv.ts';
import type { ImportFormat } from '../../../lib/cli/import/format.ts';
import { ImportReading } from '../../../lib/cli/import/reading.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { zipOf } from './zip-file.ts';

const { signal } = new AbortController();

interface Read {
  readonly events: readonly Readonly<Record<string, unknown>>[];
  /** What is said of lines, and of files. */
  readonly told: readonly string[];
  readonly said: readonly string[];
}

/** Writes files into a new folder, and reads it as a whole. */
async function read(files: Readonly<Record<string, Buffer | string>>, format: ImportFormat = ndjson): Promise<Read> {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const names = Object.keys(files);
  const said: string[] = [];
  const say = (text: string): void => void said.push(text.replaceAll(`${folder}/`, ''));
  return withFiles([names.length === 1 ? join(folder, names[0]!) : folder], signal, async (given) => {
    const reading = new ImportReading({ files: given, format, zone: null, use: null, signal, say });
    const events: Read['events'][number][] = [];
    for await (const list of reading.all()) for (const taken of list) events.push(...taken.events);
    const told = [...reading.report.told()].map((text) => text.replaceAll(`${folder}/`, ''));
    return { events, told, said };
  });
}

const event = (type: string, more: object = {}): string =>
  JSON.stringify({ event_type: type, time: '2026-01-01T00:00:00Z', ...more });

const typesOf = ({ events }: Read): readonly unknown[] => events.map(({ event_type: type }) => type);

async function failureOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return 'hints' in error ? `${error.message} ${String(error.hints)}` : error.message;
  }
  throw new Error('nothing failed');
}

describe('what imports read', () => {
  it('are lines, arrays, objects over several lines, and CSV', async () => {
    expect(typesOf(await read({ a: `${event('a')}\n\n${event('b')}\r\n${event('c')}` }))).to.deep.equal([
      'a',
      'b',
      'c',
    ]);
    const array = `[${event('a}"{')},\n ${event('b')}]\n`;
    expect(typesOf(await read({ a: array }))).to.deep.equal(['a}"{', 'b']);
    const spread = [event('a', { event_properties: { x: { y: '\\"}' } } }), event('b')];
    const lines = spread.map((text) => JSON.stringify(JSON.parse(text), null, 2)).join('\n');
    expect(typesOf(await read({ a: lines }))).to.deep.equal(['a', 'b']);
    const table = await read({ a: 'event_type;time;note\na;2026-01-01;"x; ""y""\nz"\n' }, csv);
    expect(table.events).to.deep.equal([
      { event_type: 'a', time: '2026-01-01', event_properties: { note: 'x; "y"\nz' } },
    ]);
  });

  it('are folders in order, zip files, gzip, and gzip in zip files; hidden files are not', async () => {
    const zip = zipOf({ 'in/c.json.gz': gzipSync(event('c')), '__MACOSX/x': 'no', 'in/.x': 'no', 'in/d': event('d') });
    const found = await read({ '2.zip': zip, '1.json': event('a'), '1/b.gz': gzipSync(event('b')), '.hidden': 'no' });
    expect([typesOf(found), found.told]).to.deep.equal([['b', 'a', 'c', 'd'], []]);
  });

  it('keep the digits of long numbers', async () => {
    const { events } = await read({ a: `{"event_type":"a","time":1767225600,"user_id":12345678901234567890}` });
    expect(events[0]!['user_id']).to.equal('12345678901234567890');
  });

  it('may be UTF-16, or Latin-1 in some lines, which is told', async () => {
    const text = `${event('Größe')}\n`;
    const wide = Buffer.from(`\uFEFF${text}`, 'utf16le');
    const [little, big] = [await read({ a: wide }), await read({ a: Buffer.from(wide).swap16() })];
    const bare = await read({ a: Buffer.from(text, 'utf16le') });
    for (const one of [little, big, bare])
      expect([typesOf(one), one.said]).to.deep.equal([['Größe'], ['a is not UTF-8: it is read as UTF-16']].map((x, i) => (i === 0 ? x : [one.said[0]]))); // prettier-ignore
    const mixed = Buffer.concat([Buffer.from(text), Buffer.from(text, 'latin1'), Buffer.from(text)]);
    const latin = await read({ a: mixed });
    expect(typesOf(latin)).to.deep.equal(['Größe', 'Größe', 'Größe']);
    expect(latin.said).to.have.length(1);
    expect(latin.said[0]).to.include('is not UTF-8: it is read as Windows-1252 (Latin-1)');
    expect(typesOf(await read({ a: `\uFEFF${text}` }))).to.deep.equal(['Größe']);
  });

  it('tell characters apart wherever chunks are cut', async () => {
    const { utf8Of } = await import('../../../lib/cli/import/encoding.ts');
    const whole = Buffer.from(`${'é€😀'.repeat(400)}\n`);
    const told: string[] = [];
    async function* bytes(): AsyncGenerator<Buffer> {
      for (const byte of whole) yield Buffer.of(byte);
    }
    const parts: Buffer[] = [];
    for await (const part of utf8Of(bytes(), (encoding) => told.push(encoding))) parts.push(part);
    expect([Buffer.concat(parts).equals(whole), told]).to.deep.equal([true, []]);
  });
});

describe('what imports cannot read', () => {
  it('is told by line, once for each kind', async () => {
    const lines = [
      event('a'),
      'no',
      event('b'),
      '7',
      '{"x":1}',
      'no',
      '{"event_type":"c"}',
      event('d', { time: 'soon' }),
    ];
    const found = await read({ 'a.json': lines.join('\n') });
    expect(typesOf(found)).to.deep.equal(['a', 'b']);
    expect(found.told).to.deep.equal([
      '2 lines, first line 2: it is not JSON',
      'line 4: it is not a JSON object',
      'line 5: event_type is missing',
      'line 7: it has no time',
      'line 8: its time cannot be read: "soon"',
    ]);
    const both = await read({ '1.json': `${event('a')}\nno\n`, '2.json': `${event('b')}\n\nno\n` });
    expect(both.told).to.deep.equal(['2 lines, first 1.json line 2: it is not JSON']);
  });

  it('is the end of a file that is cut in the middle, in each of its forms', async () => {
    const whole = Array.from({ length: 2_000 }, (_, i) => event(`e${i}`, { event_properties: { i } })).join('\n');
    const line = await read({ a: `${event('a')}\n${event('b').slice(0, 20)}` });
    expect([typesOf(line), line.told]).to.deep.equal([
      ['a'],
      ['line 2: it is not JSON to its end, where the file ends: is it complete?'],
    ]);
    const array = await read({ a: `[${event('a')},\n${event('b').slice(0, 20)}` });
    expect([typesOf(array), array.told]).to.deep.equal([
      ['a'],
      ['line 2: the file ends in the middle of it: is it complete?'],
    ]);
    const packed = gzipSync(whole);
    const gzip = await read({ a: packed.subarray(0, packed.length >> 1) });
    expect(gzip.told.join()).to.include('it ends too early: is the download complete?');
    const damaged = Buffer.from(packed);
    damaged.fill(0, packed.length >> 1, (packed.length >> 1) + 40);
    expect((await read({ a: damaged })).told.join()).to.include('it is damaged');
    const zip = zipOf({ a: whole });
    expect(await failureOf(read({ a: zip.subarray(0, zip.length - 30) }))).to.include('download it again');
    const row = await read({ a: 'event_type,time\na,2026-01-01\nb' }, csv);
    expect([typesOf(row), row.told]).to.deep.equal([['a'], ['line 3: it has 1 cell, and the first line 2 columns']]);
  });

  it('is a quote that never closes, in a small file and in one that would fill the memory', async () => {
    const rows = 'event_type,time\na,2026-01-01\n"b,2026-01-02\n';
    for (const more of ['c,2026-01-03\n', 'c,2026-01-03\n'.repeat(200_000)]) {
      const found = await read({ a: rows + more }, csv);
      expect(typesOf(found)).to.deep.equal(['a']);
      expect(found.told).to.deep.equal([
        'line 1: a quote opens after line 2 and does not close: nothing after it was read; the rest of it was not read',
      ]);
    }
    expect(typesOf(await read({ a: 'event_type,time\n5" nail,2026-01-01\n' }, csv))).to.deep.equal(['5" nail']);
  });

  it('is a CSV of 10,000 columns, while one of 1,000 is read, and names that come twice are told apart', async () => {
    const columns = (count: number): string => Array.from({ length: count }, (_, i) => `c${i}`).join(',');
    const table = (count: number): string => `event_type,time,${columns(count)}\na,2026-01-01,${columns(count)}\n`;
    const wide = await read({ a: table(10_000) }, csv);
    expect(wide.events).to.have.length(0);
    expect(wide.told.join()).to.include('it has 10,002 columns, and an import takes at most 2,000');
    const [one] = (await read({ a: table(1_000) }, csv)).events;
    expect(Object.keys(one!['event_properties'] as object)).to.have.length(1_000);
    const twice = await read({ a: 'event_type,time,x,x,\na,2026-01-01,1,2,3\n' }, csv);
    expect(twice.events[0]!['event_properties']).to.deep.equal({ x: '1', x_2: '2', column_5: '3' });
  });

  it('is a bomb, of gzip and of zip, and a zip file that hides how large it is', async () => {
    const long = `${event('a', { event_properties: { x: 'x'.repeat(1 << 20) } })}\n`.repeat(80);
    const bomb = await failureOf(read({ a: gzipSync(long) }));
    expect(bomb).to.include('unpacks to more than 200 times its size').and.include('unpack it yourself');
    expect(await failureOf(read({ a: zipOf({ a: long }) }))).to.include('more than 200 times');
    const hiding = await read({ a: zipOf({ a: long }, 100) });
    expect(hiding.told.join()).to.include('the archive is damaged here');
  });

  it('is a file of another kind, and an archive in an archive', async () => {
    const parquet = await failureOf(read({ a: 'PAR1xxxxxxxx' }));
    expect(parquet).to.include('is a Parquet file').and.include('Export lines of JSON');
    expect(await failureOf(read({ a: Buffer.from('28b52ffd0000', 'hex') }))).to.include('zstd -dc FILE | wl import -');
    expect(await failureOf(read({ a: zipOf({ b: zipOf({ c: 'x' }) }) }))).to.include('a zip file in a zip file');
    expect(await failureOf(withFiles(['/nowhere'], signal, async () => null))).to.include('Cannot read /nowhere');
    expect(await failureOf(withFiles([temporaryFolder()], signal, async () => null))).to.include('There is no file');
  });

  it('is a file of another format among others', async () => {
    const segment = JSON.stringify({ type: 'track', event: 'x', userId: 'u', timestamp: '2026-01-01' });
    const found = await read({ '1.json': event('a'), '2.json': `${segment}\n${segment}`, '3.json': event('b') });
    expect(typesOf(found)).to.deep.equal(['a', 'b']);
    expect(found.told).to.deep.equal([
      "2.json line 1: the file looks like Segment's archive, not lines of JSON as Windlass takes them: import it by itself",
    ]);
  });

  it('is a line longer than memory should hold', async () => {
    const long = event('x'.repeat(17 << 20));
    for (const [text, types] of [[`${long}\n${event('a')}`, ['a']], [`[${long},${event('a')}]`, ['a']]] as const) {
      const found = await read({ a: text });
      expect([typesOf(found), found.told]).to.deep.equal([types, ['line 1: it is longer than 16,777,216 bytes']]);
    }
  }); // prettier-ignore
});
