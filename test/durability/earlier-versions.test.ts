import { join } from 'node:path';
import { expect } from 'chai';
import { ControlDatabase } from '../../lib/control/database.ts';
import { wl } from '../cli/run-wl.ts';
import { readNewest } from '../support/backup-files.ts';
import { fetch } from '../support/checked-fetch.ts';
import { oldAnswers, oldVersions, unpackOldData, type OldAnswers } from '../support/old-folder.ts';
import { Served } from '../support/served.ts';
import { Browser } from '../support/session-browser.ts';
import { clockFrom } from '../support/shifted-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

for (const version of oldVersions()) {
  describe(`a data folder that version ${version} left, killed`, () => {
    const old = oldAnswers(version);
    const folder = temporaryFolder();
    const serve = (settings: Record<string, string> = {}): Served =>
      new Served(folder, { WINDLASS_SECRET: old.secret, ...clockFrom(old.asked_at), ...settings });
    let served: Served;
    let url: string;

    before(async () => {
      unpackOldData(version, folder);
      served = serve();
      url = await served.ready();
    });
    after(async () => {
      served.kill('SIGTERM');
      await served.exited;
    });

    it('is whole for `wl admin check` and `wl admin backup` while its shards are as they came', async () => {
      const [untouched, backup] = [temporaryFolder(), join(temporaryFolder(), 'backup')];
      unpackOldData(version, untouched);
      const run = (...words: string[]): ReturnType<typeof wl> =>
        wl(['admin', ...words, '--data', untouched], { WINDLASS_SECRET: old.secret });
      const checked = await run('check');
      expect([checked.code, checked.stdout.startsWith('ok: ')], checked.stdout).to.deep.equal([0, true]);
      const made = await run('backup', backup);
      expect([made.code, readNewest(backup).damaged], made.stderr).to.deep.equal([0, undefined]);
    });

    it('is answered from as before, byte for byte', () => expectAnswers(url, old));

    it('exports users as before', () => expectExports(url, old));

    it('has its keys and tokens, and those that ended have ended', async () => {
      for (const { name, key, ...before } of old.credentials) {
        const track = await post(url, key, 'track', { events: [] });
        const query = await post(url, key, 'query', { q: '* | count' });
        expect({ name, track: track.status, query: query.status }).to.deep.equal({ name, ...before });
      }
    });

    it('has its organizations, members, audit trail, usage and bindings', async () => {
      const control = await ControlDatabase.open(folder, { secret: old.secret, now: () => Date.parse(old.asked_at) });
      const browser = new Browser(url);
      const login = await browser.openLink((await control.logins.createLink('kate@example.com')).token);
      // By this process's clock the cookies expired long ago.
      browser.cookies = login.headers
        .getSetCookie()
        .map((cookie) => cookie.split('; ')[0])
        .join('; ');
      await control.close();
      for (const { who, path, answer } of old.resources) {
        const key = old.admin_keys[who];
        const response = await (key === undefined
          ? browser.get(path)
          : fetch(url + path, { headers: { 'X-API-Key': key } }));
        const now: unknown = await response.json();
        expect(answer, path).to.deep.equal(asFarAs(answer, now));
      }
    });

    it('knows the insert ids that came in the last 7 days, and after a kill answers the same with two writers', async () => {
      for (let at = 0; at < old.repeats.length; at += 50) {
        const { status } = await post(url, old.repeats_to, 'track', { events: old.repeats.slice(at, at + 50) });
        expect(status).to.equal(200);
      }
      expect(old.repeats).not.to.have.lengthOf(0);
      served.kill('SIGKILL');
      await served.exited;
      served = serve({ WINDLASS_WRITERS: '2' });
      url = await served.ready();
      await expectAnswers(url, { ...old, answers: old.answers.filter(({ format }) => format === 'json') });
    });

    it('is whole for `wl admin check`', async () => {
      const { code, stdout } = await wl(['admin', 'check', '--data', folder], { WINDLASS_SECRET: old.secret });
      expect([code, stdout.startsWith('ok: ')], stdout).to.deep.equal([0, true]);
    });
  });
}

async function expectAnswers(url: string, { answers, keys }: OldAnswers): Promise<void> {
  const left = [...answers];
  const others: object[] = [];
  const ask = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { project, q, format, answer } = next;
      const response = await post(url, keys[project] ?? '', 'query', { q, format, limit: 1000 });
      const now = withoutImports(await response.text());
      if (now !== answer) others.push({ project, q, format, answer: now, before: answer });
    }
  };
  await Promise.all(Array.from({ length: 6 }, ask));
  expect(others.map((other) => JSON.stringify(other)).join('\n'), 'answers that are others now').to.equal('');
}

/** Lists have a further column, which is empty for events of before. */
function withoutImports(answer: string): string {
  const [head = ''] = answer.split('\r\n', 1);
  if (head.endsWith(',_import_id')) return answer.replace(/,(?:_import_id)?\r\n/g, '\r\n');
  return answer.replaceAll(',"_import_id":null', '');
}

async function expectExports(url: string, { exports, keys }: OldAnswers): Promise<void> {
  for (const { project, user, answer } of exports) {
    const path = `/api/gdpr/users/${encodeURIComponent(user)}/export`;
    const response = await fetch(url + path, { headers: { 'X-API-Key': keys[project] ?? '' } });
    expect(await response.text(), user).to.equal(answer);
  }
}

function post(url: string, key: string, path: string, body: unknown): Promise<Response> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  return fetch(`${url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** `now` without what `before` lacks, as answers gain fields. Ignores bytes on disk, and what is counted again. */
function asFarAs(before: unknown, now: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(now)) {
    return now.map((value: unknown, i) => asFarAs(before[i], value));
  }
  if (!isRecord(before) || !isRecord(now)) return now;
  const known = Object.entries(before).map(([name, value]) => {
    return [name, VARYING.has(name) ? value : asFarAs(value, now[name])];
  });
  return Object.fromEntries(known);
}

const VARYING: ReadonlySet<string> = new Set(['bytes_stored', 'last_used_at']);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
