import { expect } from 'chai';
import fs from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { BucketStore, BUCKET } from '../../support/bucket-store.ts';
import { ask, fill } from '../../support/exports.ts';
import { listenOnLoopback, type Listening } from '../../support/listening.ts';
import { sharedService } from '../../support/shared-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { clientOf, type ClientService } from '../client-service.ts';

describe('wl export', () => {
  const folder = temporaryFolder();
  let test: ClientService;
  before(async () => {
    test = clientOf(await sharedService());
    await fill(test);
  });

  const at = (name: string): string => join(folder, name);
  const served = async (parameters: Readonly<Record<string, string>>): Promise<string> =>
    (await ask(test, parameters)).text();

  for (const [args, parameters] of [
    [[], {}],
    [['--kind', 'all'], { kind: 'all' }],
    [['--format', 'csv', '--timezone', 'Asia/Tokyo'], { format: 'csv', timezone: 'Asia/Tokyo' }],
    [
      ['--since', '2026-01-01', '--until', '2026-02-01', '--where', 'event_type = "buy"'],
      { where: 'event_type = "buy"' },
    ],
  ] as const) {
    it(`prints what the server has: ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await test.wl(['export', ...args]);
      expect([code, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.equal(await served(parameters));
    });
  }

  it('writes a file, packed where told to', async () => {
    const { code, stderr } = await test.wl(['export', '--gzip', '--output', at('events.gz')]);
    expect([code, stderr]).to.deep.equal([0, `wl: 6 rows in ${at('events.gz')}\n`]);
    expect(gunzipSync(fs.readFileSync(at('events.gz'))).toString()).to.equal(await served({}));
    expect(fs.readdirSync(folder)).to.deep.equal(['events.gz']);
  });

  it('goes on in a file where a run ended, whatever it had written behind that', async () => {
    const page = await ask(test, { kind: 'all', limit: '2' });
    const first = await page.text();
    const standing = { ending: 'ndjson', kind: 'all', format: 'ndjson' };
    const path = at('all.ndjson');
    fs.writeFileSync(path, `${first}{"event_type":"hal`);
    const note = {
      of: JSON.stringify(standing),
      cursor: page.headers.get('x-next-cursor'),
      bytes: Buffer.byteLength(first),
      rows: 2,
    };
    fs.writeFileSync(`${path}.cursor`, JSON.stringify(note));
    const other = await test.wl(['export', '--output', path]);
    expect([other.code, other.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 1 && /other options/.test(text),
    );
    const { code, stderr } = await test.wl(['export', '--kind', 'all', '--output', path]);
    expect([code, stderr]).to.deep.equal([0, `wl: going on behind 2 rows of an earlier run\nwl: 10 rows in ${path}\n`]);
    expect(fs.readFileSync(path, 'utf8')).to.equal(await served({ kind: 'all' }));
    expect(fs.existsSync(`${path}.cursor`)).to.equal(false);
    const again = await test.wl(['export', '--kind', 'all', '--output', path]);
    expect([again.code, again.stderr.split('\n')[0]]).to.deep.equal([1, `wl: ${path} is there already.`]);
  });

  describe('over a connection that breaks', () => {
    /** What is asked of the service on a way on which answers get lost. */
    async function cutting(isLost: (url: string) => boolean): Promise<Listening> {
      return listenOnLoopback(() => (from, to) => {
        const { method, url = '/', headers } = from;
        const on = request(new URL(url, test.url), { method, headers }, (answer) => {
          to.writeHead(answer.statusCode ?? 500, answer.headers);
          if (isLost(url)) answer.resume().on('end', () => to.destroy());
          else answer.pipe(to);
        });
        from.pipe(on);
      });
    }

    it('leaves no file where there is nothing to go on with', async () => {
      const proxy = await cutting(() => true);
      const { code } = await test.wl(['export', '--output', at('nothing')], { env: { WINDLASS_HOST: proxy.url } });
      await proxy.stop();
      expect([code, fs.existsSync(at('nothing')), fs.existsSync(at('nothing.cursor'))]).to.deep.equal([
        1,
        false,
        false,
      ]);
    });

    it('asks again for the page that did not come', async () => {
      let left = 1;
      const proxy = await cutting(() => left-- > 0);
      const { code, stdout, stderr } = await test.wl(['export'], { env: { WINDLASS_HOST: proxy.url } });
      await proxy.stop();
      expect([code, stdout]).to.deep.equal([0, await served({})]);
      expect(stderr).to.contain('Trying again');
    });

    it('stops with what the same command goes on from', async () => {
      const proxy = await cutting((url) => url.includes('cursor='));
      const env = { WINDLASS_HOST: proxy.url };
      const path = at('broken.ndjson');
      const [toFile, printed] = [
        await test.wl(['export', '--kind', 'all', '--output', path], { env }),
        await test.wl(['export', '--kind', 'all'], { env }),
      ];
      await proxy.stop();
      const whole = await served({ kind: 'all' });
      expect(toFile.code).to.equal(1);
      expect(toFile.stderr).to.contain(`wl: ${path} is unfinished: run the same command again to go on`);
      expect(await test.wl(['export', '--kind', 'all', '--output', path])).to.include({ code: 0 });
      expect(fs.readFileSync(path, 'utf8')).to.equal(whole);
      const [, cursor = ''] = /6 rows so far; the same with this goes on: --cursor (\S+)/.exec(printed.stderr) ?? [];
      const rest = await test.wl(['export', '--kind', 'all', '--cursor', cursor]);
      expect(printed.stdout + rest.stdout).to.equal(whole);
    });
  });

  it('refuses a FILE.cursor that is none', async () => {
    for (const text of ['{}', '[]', '{"of":1}', 'x'.repeat(70_000)]) {
      fs.writeFileSync(`${at('new')}.cursor`, text);
      const { code, stderr } = await test.wl(['export', '--output', at('new')]);
      expect([code, stderr]).to.satisfy(
        ([one, told]: [number, string]) => one === 1 && /how far an export has come/.test(told),
        stderr,
      );
    }
  });

  it('writes Parquet with the columns of a list, by their types', async () => {
    const path = at('events.parquet');
    const { code, stderr } = await test.wl(['export', '--format', 'parquet', '--output', path]);
    expect([code, stderr]).to.deep.equal([0, `wl: 6 rows in ${path}\n`]);
    const bytes = fs.readFileSync(path);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const rows = await parquetReadObjects({ file });
    const listed = await test.rows('* | list | from "2026-01-01"');
    const printed = rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell instanceof Date ? cell.toISOString() : (cell as unknown)]))); // prettier-ignore
    const withNulls = printed.map((row) => ({ ...row, user_properties: row['user_properties'] ?? {}, event_properties: row['event_properties'] ?? {} })); // prettier-ignore
    expect(withNulls).to.deep.equal(listed.toReversed());
  });

  it('is an empty table in Parquet where there is nothing', async () => {
    const path = at('none.parquet');
    await test.wl(['export', '--format', 'parquet', '--last', '1m', '--output', path]);
    const bytes = fs.readFileSync(path);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    expect(await parquetReadObjects({ file })).to.deep.equal([]);
  });

  for (const [args, message] of [
    [['--format', 'json'], /Choices: "ndjson", "csv", "parquet"|format/],
    [['--format', 'parquet', '--gzip'], /compressed inside/],
    [['--format', 'csv', '--kind', 'all'], /--kind all is for ndjson/],
    [['--output', 'x', '--cursor', 'y'], /--cursor is for stdout/],
    [['--to', 's3://bucket/x', '--last', '1d'], /all events since its last run/],
    [['--to', 's3://bucket/x', '--output', 'x'], /neither --output/],
    [['--to', 's3://bucket/x'], /WINDLASS_BACKUP_S3_KEY/],
    [['--where', 'x ='], /expected/],
    [['--cursor', 'nonsense'], /not one that this server gave/],
  ] as const) {
    it(`says what is wrong with ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await test.wl(['export', ...args]);
      expect([code !== 0, stdout]).to.deep.equal([true, '']);
      expect(stderr).to.match(message);
    });
  }

  describe('to a bucket', () => {
    const store = new BucketStore();
    before(() => store.start());
    after(() => store.stop());

    const run = (prefix: string, ...more: readonly string[]): ReturnType<ClientService['wl']> =>
      test.wl(['export', '--to', `s3://${BUCKET}/${prefix}`, ...more], { env: store.settings });
    const objects = (prefix: string): string[] =>
      [...store.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const contents = (prefix: string): string => objects(prefix).map((key) => gunzipSync(store.objects.get(key)!.body).toString()).join(''); // prettier-ignore

    it('sends what has come since the last run, each event once, however old', async () => {
      const own = clientOf(await test.another());
      const send = async (...types: readonly string[]): Promise<void> => {
        for (const [nth, event_type] of types.entries())
          await own.post('/track', { event_type, time: new Date(Date.UTC(2026, 0, 20 - nth)).toISOString() });
      };
      const ran = async (): Promise<string> => {
        const { code, stderr } = await own.wl(['export', '--to', `s3://${BUCKET}/own`, '--gzip'], {
          env: store.settings,
        });
        expect(code, stderr).to.equal(0);
        return stderr;
      };
      const types = (): string[] => contents('own/').split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { event_type: string }).event_type])); // prettier-ignore
      expect(await ran()).to.match(/^wl: 0 rows in 0 new objects of s3:/);
      await send('a', 'b');
      expect(await ran()).to.match(/^wl: 2 rows in 1 new object of s3:/);
      expect(await ran()).to.match(/^wl: 0 rows in 0 new objects/);
      await send('c', 'd', 'e');
      await ran();
      expect(types()).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
      expect(objects('own/')).to.have.length(2);
      expect(objects('own/')[1]).to.match(/^own\/000002-\d{4}-\d\d-\d\d-a[\w-]+\.ndjson\.gz$/);
    });

    it('sends an object again that did not get there', async () => {
      store.trouble = (asked) => (asked.startsWith('PUT') ? [403, 'AccessDenied'] : null);
      const failed = await run('again', '--gzip');
      store.trouble = () => null;
      expect(failed.code, failed.stderr).to.equal(1);
      expect(failed.stderr).to.contain('not all rights to bucket');
      expect(objects('again/')).to.deep.equal([]);
      await run('again', '--gzip');
      expect(contents('again/')).to.equal(await served({ order: 'arrival' }));
    });

    it('refuses a prefix with other objects than those of its runs', async () => {
      await run('mixed', '--gzip');
      const other = await run('mixed', '--format', 'csv');
      expect([other.code, other.stderr]).to.satisfy(
        ([code, text]: [number, string]) => code === 1 && /another prefix for each format/.test(text),
      );
      const [key = ''] = objects('mixed/');
      store.objects.set(key.replace('000001', '000003'), store.objects.get(key)!);
      const gap = await run('mixed', '--gzip');
      expect([gap.code, gap.stderr]).to.satisfy(
        ([code, text]: [number, string]) => code === 1 && /do not follow each other/.test(text),
      );
    });

    it('refuses the objects of another project', async () => {
      await run('first', '--gzip');
      const own = clientOf(await test.another());
      const { code, stderr } = await own.wl(['export', '--to', `s3://${BUCKET}/first`, '--gzip'], {
        env: store.settings,
      });
      expect([code, stderr]).to.satisfy(([one, text]: [number, string]) => one === 1 && /another project/.test(text));
    });
  });
});
