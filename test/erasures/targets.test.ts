import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { openBucket } from '../../lib/buckets/bucket.ts';
import { ControlDatabase } from '../../lib/control/database.ts';
import { BucketLog } from '../../lib/erasures/bucket-log.ts';
import { encodeEntry } from '../../lib/erasures/entry.ts';
import { ErasureLog } from '../../lib/erasures/erasure-log.ts';
import { beginLog, ERASURE_LOG, logProblem, readLog } from '../../lib/erasures/log-file.ts';
import { AppError } from '../../lib/base/errors.ts';
import { BUCKET, BucketStore, KEY } from '../support/bucket-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { refusal } from '../support/refusal.ts';

describe('the log of erasures at a backup target', () => {
  let data: string;
  let target: string;
  let control: ControlDatabase;
  let told: string[];
  let log: ErasureLog;
  beforeEach(async () => {
    [data, target, told] = [temporaryFolder(), join(temporaryFolder(), 'backups'), []];
    fs.mkdirSync(target);
    beginLog(join(target, ERASURE_LOG));
    control = await ControlDatabase.open(data, { secret: null });
    await control.operator.backupTargets.add(fs.realpathSync(data), target);
    log = opened();
  });
  afterEach(() => control.close());

  const opened = (patience?: number): ErasureLog =>
    new ErasureLog(
      {
        ...{ data, hash: control.hashId.bind(control), targets: control.operator.backupTargets },
        buckets: null,
        log: {
          info: (_fields: object, text: string) => told.push(text),
          error: (_fields: object, text: string) => told.push(text),
        },
      },
      patience,
    );
  const erase = (user: string, devices: readonly string[] = []): void =>
    log.userErased('prj_a', user, { devices, upTo: 7 });
  const there = (): readonly unknown[] => readLog(join(target, ERASURE_LOG)).entries;
  const here = (): readonly unknown[] => readLog(join(data, ERASURE_LOG)).entries;

  it('has no part of a line, here or there, when the disk takes only a part: the erasure is refused', () => {
    erase('ann');
    const { writevSync, fsyncSync } = fs;
    const full = (): never => {
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    };
    let calls = 0;
    try {
      Object.assign(fs, {
        writevSync: (fd: number, pieces: Uint8Array[], at: number) =>
          calls++ === 0 ? writevSync(fd, [pieces[0]!.subarray(0, 20)], at) : full(),
      });
      expect(() => erase('bob')).to.throw(AppError, 'cannot use its disk');
      calls = 1;
      Object.assign(fs, { writevSync, fsyncSync: full });
      expect(() => erase('cid')).to.throw(AppError);
    } finally {
      Object.assign(fs, { writevSync, fsyncSync });
    }
    erase('dan');
    expect([here().length, readLog(join(data, ERASURE_LOG)).damaged]).to.deep.equal([2, 0]);
  });

  it('takes a control database that cannot be read for a target that is away, and tries again', async () => {
    erase('ann');
    const { backupTargets } = control.operator;
    const list = backupTargets.list.bind(backupTargets);
    let fails = false;
    const targets = {
      list: (folder: string) => (fails ? Promise.reject(new Error('locked')) : list(folder)),
      synced: backupTargets.synced.bind(backupTargets),
    };
    const parts = { data, hash: control.hashId.bind(control), buckets: null };
    const teller = { info: (_fields: object, text: string) => told.push(text), error: (_fields: object, text: string) => told.push(text) }; // prettier-ignore
    log = new ErasureLog({ ...parts, targets, log: teller });
    const both = [log.reach(), log.reach()]; // the second finds the first running, and looks again afterwards
    await new Promise(setImmediate);
    fails = true;
    await Promise.all(both);
    fails = false;
    await log.reach();
    expect(there()).to.have.length(1);
  });

  it('has each entry when it was reached, once', async () => {
    erase('ann', ['d1', 'd2']);
    await log.reach();
    log.projectDeleted('prj_b');
    log.projectDeleted('prj_b');
    await log.reach();
    expect(here()).to.have.length(2);
    expect(there()).to.deep.equal(here());
    expect(there()[0]).to.deep.include({ kind: 'user', user: control.hashId('prj_a', 'ann'), upTo: 7 });
    expect(await log.behind()).to.deep.equal({ targets: 0, since: null });
  });

  it('gets what it lacks when it is back, also from the next service; nobody is kept waiting, and it is told once', async () => {
    erase('ann');
    await log.reach();
    fs.renameSync(target, `${target}-away`);
    const from = Date.now();
    erase('bob');
    await log.reach();
    erase('cid');
    await log.reach();
    expect(fs.existsSync(target), 'a mount that is away is not made').to.equal(false);
    expect((await log.behind()).targets).to.equal(1);
    expect((await log.behind()).since).to.be.within(from, Date.now());
    expect(told.filter((text) => text.includes('cannot be written'))).to.have.length(1);
    log = opened();
    expect((await log.behind()).targets, 'after a restart').to.equal(1);
    await log.reach();
    fs.renameSync(`${target}-away`, target);
    log.watch();
    log.close();
    await log.reach();
    while ((await log.behind()).targets > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(there()).to.deep.equal(here());
    expect(told.at(-1)).to.contain('again');
  });

  it('that hangs keeps one erasure waiting and no other, and gets all of it when it answers', async () => {
    const file = join(target, ERASURE_LOG);
    fs.rmSync(file);
    execFileSync('mkfifo', [file]); // opening it blocks until the other end is open
    log = opened(1);
    erase('ann');
    await log.reach();
    expect(told).to.deep.equal(['erasures cannot be written to the log at a backup; they will be retried']);
    erase('bob');
    await log.reach();
    expect(told).to.have.length(1);
    expect((await log.behind()).targets).to.equal(1);
    const end = fs.openSync(file, 'r+');
    fs.rmSync(file);
    beginLog(file);
    fs.closeSync(end);
    while ((await log.behind()).targets > 0) {
      await log.reach();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(there()).to.deep.equal(here());
  });

  it('keeps what another wrote to it, and gets the rest', async () => {
    const other = { kind: 'project', at: 5, project: 'of another host' } as const;
    fs.appendFileSync(join(target, ERASURE_LOG), encodeEntry(other));
    erase('ann');
    await log.reach();
    expect(there()).to.have.length(2);
    expect(there()[0]).to.deep.include(other);
    expect(there()[1]).to.deep.equal(here()[0]);
  });

  it('may have a torn last line, here or there: it is passed over, and takes no other with it', async () => {
    erase('ann');
    await log.reach();
    const half = encodeEntry({ kind: 'project', at: 1, project: 'x'.repeat(22) }).slice(0, 40);
    for (const folder of [data, target]) fs.appendFileSync(join(folder, ERASURE_LOG), half);
    expect(readLog(join(target, ERASURE_LOG))).to.deep.include({ damaged: 0 });
    erase('bob');
    await log.reach();
    expect(there()).to.have.length(2);
    expect(there()).to.deep.equal(here());
    expect(readLog(join(target, ERASURE_LOG)).damaged, 'told where it is not the last').to.equal(1);
    expect(logProblem(join(data, ERASURE_LOG)), 'whose end is known here').to.equal(null);
  });

  it('keeps what has no end for another reason: a whole line, and what is no part of one', async () => {
    const file = join(data, ERASURE_LOG);
    erase('ann');
    fs.truncateSync(file, fs.statSync(file).size - 1);
    erase('bob');
    expect(here()).to.have.length(2);
    fs.appendFileSync(file, Buffer.alloc(100));
    erase('cy');
    expect(here()).to.have.length(3);
    expect(readLog(file).damaged).to.equal(1);
  });

  it('is told of when the service starts, where a line of it is damaged, and the others are kept', async () => {
    const file = join(data, ERASURE_LOG);
    for (const user of ['ann', 'bob', 'cy']) erase(user);
    log.watch();
    log.close();
    expect(told).to.deep.equal([]);
    const bytes = fs.readFileSync(file);
    bytes[bytes.indexOf('\n') + 30]! ^= 1;
    fs.writeFileSync(file, bytes);
    log = opened();
    log.watch();
    log.close();
    expect(told).to.deep.equal(['the log of erasures is damaged']);
    expect(logProblem(file)).to.include('erasures.log: 1 line cannot be read');
    expect(here()).to.have.length(2);
  });

  it('gets what is logged after the log has become shorter', async () => {
    for (const user of ['ann', 'bob', 'cy']) erase(user);
    await log.reach();
    const file = join(data, ERASURE_LOG);
    fs.truncateSync(file, fs.readFileSync(file).indexOf('\n') + 1);
    for (const before of [log, opened()]) {
      log = before;
      erase(`later ${there().length}`);
      expect(await log.behind()).to.deep.include({ targets: 1 });
      await log.reach();
      expect(there().at(-1)).to.deep.equal(here().at(-1));
    }
  });

  it('is not read again for each erasure: as long as it may be, only what a target lacks is', async () => {
    erase(
      'ann',
      Array.from({ length: 20_000 }, (_, n) => `device ${n}`),
    );
    await log.reach();
    const { readSync, readFileSync } = fs;
    let bytes = 0;
    const counting =
      <A extends unknown[], R extends number | { readonly length: number }>(read: (...of: A) => R) =>
      (...of: A): R => {
        const got = read(...of);
        bytes += typeof got === 'number' ? got : got.length;
        return got;
      };
    try {
      Object.assign(fs, { readSync: counting(readSync), readFileSync: counting(readFileSync) });
      erase('bob');
      expect((await log.behind()).targets).to.equal(1);
      await log.reach();
    } finally {
      Object.assign(fs, { readSync, readFileSync });
    }
    expect(fs.statSync(join(data, ERASURE_LOG)).size).to.be.above(500_000);
    expect(bytes).to.be.below(100_000);
    expect(there()).to.deep.equal(here());
  });

  it('is read where it is longer than a text may be, and damage in it as long', () => {
    const file = join(data, ERASURE_LOG);
    erase('ann');
    fs.truncateSync(file, 600 << 20); // a hole, which takes no room
    fs.appendFileSync(file, '\n');
    erase('bob');
    const { entries, damaged } = readLog(file);
    expect([entries.length, damaged]).to.deep.equal([2, 1]);
  });

  it('cuts the devices of a user into lines, and loses none', async () => {
    const devices = Array.from({ length: 2_500 }, (_, n) => `device ${n}`);
    erase('ann', devices);
    const entries = readLog(join(data, ERASURE_LOG)).entries;
    expect(entries).to.have.length(3);
    const logged = entries.flatMap((entry) => (entry.kind === 'user' ? entry.devices : []));
    expect(logged).to.deep.equal(devices.map((device) => control.hashId('prj_a', device)));
  });

  it('is refused where a newer release has written it', () => {
    fs.writeFileSync(
      join(target, ERASURE_LOG),
      encodeEntry({ kind: 'project', at: 1, project: 'a', ...{ format: 99 } }),
    );
    expect(() => readLog(join(target, ERASURE_LOG))).to.throw(AppError, 'newer release');
  });
});

describe('the log of erasures at a bucket', () => {
  const store = new BucketStore();
  const target = `s3://${BUCKET}/w`;
  let control: ControlDatabase;
  let data: string;
  const told: string[] = [];
  before(() => store.start());
  after(() => store.stop());
  beforeEach(async () => {
    data = temporaryFolder();
    store.objects.clear();
    store.trouble = () => null;
    control = await ControlDatabase.open(data, { secret: null });
    await control.operator.backupTargets.add(fs.realpathSync(data), target);
  });
  afterEach(() => control.close());
  const opened = (): ErasureLog =>
    new ErasureLog({
      ...{ data, hash: control.hashId.bind(control), targets: control.operator.backupTargets, buckets: store.access },
      log: {
        info: (_fields: object, text: string) => told.push(text),
        error: (fields: object, text: string) => told.push(`${text} ${JSON.stringify(fields)}`),
      },
    });
  const there = async (): Promise<readonly unknown[]> =>
    (await new BucketLog(openBucket(target, store.access)).read()).entries;
  const here = (): readonly unknown[] => readLog(join(data, ERASURE_LOG)).entries;

  it('has every entry of two that write at once, in few objects however many there were', async () => {
    const [log, other] = [opened(), opened()];
    for (let n = 0; n < 70; n++) {
      log.userErased('prj_a', `user ${n}`, { devices: [], upTo: n });
      await Promise.all([log.reach(), ...(n % 20 === 0 ? [other.reach()] : [])]);
    }
    expect(here()).to.have.length(70);
    expect(await there()).to.have.deep.members([...here()]);
    expect(store.keys('w/erasures/').length).to.be.below(70);
    await opened().reach();
    expect(await there()).to.have.length(70);
  });

  it('gets what it lacks when it is back, and nobody reads the key in the log of the service', async () => {
    const log = opened();
    log.userErased('prj_a', 'ann', { devices: [], upTo: 1 });
    store.trouble = () => [403, 'AccessDenied'];
    await log.reach();
    expect((await log.behind()).targets).to.equal(1);
    expect(told.at(-1)).to.contain('cannot be written').and.contain('has not all rights');
    for (const secret of [KEY.id, KEY.secret]) expect(told.join()).to.not.contain(secret);
    store.trouble = () => null;
    log.watch();
    log.close();
    while ((await log.behind()).targets > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await there()).to.deep.equal(here());
  });

  it('without a key is told as what cannot be written, not as a bug', async () => {
    const log = new ErasureLog({
      ...{ data, hash: control.hashId.bind(control), targets: control.operator.backupTargets, buckets: null },
      log: { info: () => undefined, error: (fields: object) => told.push(JSON.stringify(fields)) },
    });
    log.userErased('prj_a', 'ann', { devices: [], upTo: 1 });
    await log.reach();
    expect((await log.behind()).targets).to.equal(1);
    expect(told.at(-1)).to.contain('there is no key for');
  });
});

describe('backup targets', () => {
  it('are those of one data folder, and at most eight, of which one may be forgotten', async () => {
    const folder = temporaryFolder();
    const control = await ControlDatabase.open(folder, { secret: null });
    const targets = control.operator.backupTargets;
    for (let n = 0; n < 8; n++) await targets.add('/data', `/backup/${n}`);
    await targets.checkRoom('/data', '/backup/3');
    expect((await refusal(() => targets.checkRoom('/data', '/backup/9'))).message).to.include('already');
    await targets.checkRoom('/a trial', '/backup/9');
    expect(await targets.list('/a trial')).to.deep.equal([]);
    expect([await targets.remove('/data', '/backup/0'), await targets.remove('/data', '/backup/0')]).to.deep.equal([
      true,
      false,
    ]);
    await targets.checkRoom('/data', '/backup/9');
    await control.close();
  });
});
