import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { Bucket } from '../../lib/buckets/bucket.ts';
import { download, readObject } from '../../lib/buckets/object-store.ts';
import { locationText, parseLocation } from '../../lib/base/bucket-location.ts';
import { AppError } from '../../lib/base/errors.ts';
import { BUCKET, BucketStore, KEY } from '../support/bucket-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const QUICK = { attempt: 5_000, pauses: [1, 1] };
const MIB = 2 ** 20;
const next = (token: string): string => `<NextContinuationToken>${token}</NextContinuationToken>`;

describe('a bucket', () => {
  let store: BucketStore;
  let bucket: Bucket;
  beforeEach(async () => {
    store = new BucketStore();
    await store.start();
    bucket = new Bucket(store.access, { bucket: BUCKET, prefix: 'a/b/' }, QUICK);
  });
  afterEach(() => store.stop());

  /** The message of a failure, with its hint. */
  async function told(work: Promise<unknown>): Promise<string> {
    try {
      await work;
    } catch (error) {
      if (error instanceof AppError) return `${error.message}: ${error.data.hints?.join()}`;
      throw error;
    }
    throw new Error('it was done');
  }

  it('lists, reads and removes what was written below its prefix, over pages of a list', async () => {
    store.pageKeys = 2;
    store.objects.set('elsewhere', { body: Buffer.from('x'), at: 0 });
    for (const n of [1, 2, 3, 4, 5]) await bucket.write(`n/${n}`, Buffer.from('x'.repeat(n)));
    const listed = await bucket.list('n/');
    expect(listed.map(({ key, bytes }) => [key, bytes])).to.deep.equal([1, 2, 3, 4, 5].map((n) => [`n/${n}`, n]));
    expect(listed.every(({ at }) => Math.abs(at - Date.now()) < 60_000)).to.equal(true);
    expect((await readObject(bucket, listed[3]!))?.toString()).to.equal('xxxx');
    await bucket.remove('n/4');
    await bucket.remove('n/4');
    expect(await readObject(bucket, listed[3]!)).to.equal(null);
    expect(store.keys('')).to.have.length(5);
  });

  it('takes and gives a file that is larger than a piece, and tells one that is shorter than it should be', async () => {
    const [file, copy] = [join(temporaryFolder(), 'file'), join(temporaryFolder(), 'copy')];
    const content = randomBytes(17 * MIB + 3);
    fs.writeFileSync(file, content);
    await bucket.put('large', file);
    expect(store.objects.get('a/b/large')?.body.equals(content)).to.equal(true);
    expect(await download(bucket, { key: 'large', bytes: content.length }, copy)).to.equal(true);
    expect(fs.readFileSync(copy).equals(content)).to.equal(true);
    expect(await download(bucket, { key: 'large', bytes: content.length + 1 }, copy)).to.equal(false);
    expect(await download(bucket, { key: 'large', bytes: content.length + 16 * MIB }, copy)).to.equal(false);
    expect(await download(bucket, { key: 'nothing', bytes: 1 }, copy)).to.equal(false);
  });

  it('gives an upload up whose piece is refused, and leaves no object and no pieces', async () => {
    const file = join(temporaryFolder(), 'file');
    fs.writeFileSync(file, Buffer.alloc(9 * MIB));
    store.trouble = (ask) => (ask.includes('partNumber=2') ? [403, 'AccessDenied'] : null);
    expect(await told(bucket.put('large', file))).to.contain('s3:PutObject');
    expect([store.keys('').length, store.unfinished]).to.deep.equal([0, 0]);
  });

  it('has a file whose pieces were put together, though the answer that says so got lost', async () => {
    const file = join(temporaryFolder(), 'file');
    fs.writeFileSync(file, Buffer.alloc(9 * MIB, 1));
    store.trouble = (ask) =>
      ask.startsWith('POST a/b/large?uploadId=') && !store.objects.has('a/b/large') ? 'lost' : null;
    await bucket.put('large', file);
    expect(store.objects.get('a/b/large')?.body.length).to.equal(9 * MIB);
    expect(store.asked.filter((ask) => ask.startsWith('POST a/b/large?uploadId='))).to.have.length(2);
  });

  for (const [title, there] of [
    ['is missing', null],
    ['is shorter than what was sent', Buffer.alloc(9 * MIB - 1)],
  ] as const) {
    it(`does not take a file for stored whose upload it no longer knows, and which ${title}`, async () => {
      const file = join(temporaryFolder(), 'file');
      fs.writeFileSync(file, Buffer.alloc(9 * MIB));
      if (there !== null) store.objects.set('a/b/large', { body: there, at: 0 });
      store.trouble = (ask) => (ask.startsWith('POST a/b/large?uploadId=') ? [404, 'NoSuchUpload'] : null);
      expect(await told(bucket.put('large', file))).to.contain('could not put the pieces of a file together');
    });
  }

  it('that begins no upload though it answers 200 is sent no pieces', async () => {
    const file = join(temporaryFolder(), 'file');
    fs.writeFileSync(file, Buffer.alloc(9 * MIB));
    store.trouble = (ask) => (ask.endsWith('?uploads=') ? { says: '<html>please log in</html>' } : null);
    expect(await told(bucket.put('large', file))).to.contain('does not say how to send a file in pieces');
    expect(store.asked).to.have.length(1);
  });

  for (const [title, trouble] of [
    ['is in trouble', [503, 'SlowDown']],
    ['is asked too much of', [429, 'TooManyRequests']],
    ['sends more than was asked for', 'flood'],
    ['got something else than was sent', [400, 'XAmzContentSHA256Mismatch']],
    ['cuts the connection', 'cut'],
  ] as const) {
    it(`is asked again when the store ${title}, and not for ever`, async () => {
      let left = 2;
      store.trouble = () => (left-- > 0 ? trouble : null);
      await bucket.write('x', Buffer.from('content'));
      expect((await readObject(bucket, { key: 'x', bytes: 7 }))?.toString()).to.equal('content');
      store.trouble = () => trouble;
      store.asked.length = 0;
      await told(bucket.list(''));
      expect(store.asked).to.have.length(3);
    });
  }

  const page = (truncated: boolean, inside: string): string =>
    `<ListBucketResult><IsTruncated>${truncated}</IsTruncated>${inside}</ListBucketResult>`;

  for (const [title, says, said] of [
    ['is an error with 200', '<Error><Code>InternalError</Code></Error>', 'answers with no list'],
    ['is the page of a proxy', '<html>please log in</html>', 'answers with no list'],
    ['breaks off', page(false, '').slice(0, -5), 'answers with no list'],
    ['has more pages, and does not say where', page(true, ''), 'does not list its objects to the end'],
    ['always has the same next page', page(true, next('x')), 'does not list its objects to the end'],
  ] as const) {
    it(`whose list ${title} is not taken for an empty one`, async () => {
      store.trouble = () => ({ says });
      expect(await told(bucket.list(''))).to.contain(said);
      expect(store.asked.length).to.be.below(3);
    });
  }

  it('whose list has ever more empty pages is given up', async () => {
    let pages = 0;
    store.trouble = () => ({ says: page(true, next(String(pages++))) });
    expect(await told(bucket.list(''))).to.contain('does not list its objects to the end');
    expect(pages).to.equal(101);
  });

  it('lists no key that would lead elsewhere in a URL, or is not below its prefix', async () => {
    await bucket.write('n/good', Buffer.from('x'));
    for (const key of ['a/b/n/../../../x', 'a/b/n/%2e%2e/x', 'a/b/n//x', 'a/b/n/'])
      store.objects.set(key, { body: Buffer.from('x'), at: 0 });
    expect((await bucket.list('n/')).map(({ key }) => key)).to.deep.equal(['n/good']);
    store.trouble = () => ({ says: page(false, '<Contents><Key>other/backups/n/bad</Key><Size>1</Size></Contents>') });
    expect(await bucket.list('')).to.deep.equal([]);
  });

  it('whose store does not answer is given up in time', async () => {
    store.trouble = () => 'hang';
    bucket = new Bucket(store.access, { bucket: BUCKET, prefix: '' }, { attempt: 250, pauses: [1] });
    expect(await told(bucket.list(''))).to.contain('cannot be reached (no answer in time)');
    expect(store.asked).to.have.length(2);
  });

  it('whose store is not there is named with the reason of the system', async () => {
    const { access } = store;
    await store.stop();
    expect(await told(new Bucket(access, { bucket: BUCKET, prefix: '' }, QUICK).list(''))).to.contain('ECONNREFUSED');
    await store.start();
  });

  it('that cannot be used says in a sentence why and what to do, without the key', async () => {
    const { access } = store;
    const other = (changed: Partial<typeof access>, name = BUCKET): Promise<string> =>
      told(new Bucket({ ...access, ...changed }, { bucket: name, prefix: '' }, QUICK).list(''));
    const said = [
      [await other({}, 'nowhere'), 'there is no bucket nowhere', 'make the bucket'],
      [await other({ key: 'AKIAOTHER' }), 'does not know the key', 'WINDLASS_BACKUP_S3_KEY'],
      [await other({ secret: 'another secret' }), 'the secret is not the key', 'WINDLASS_BACKUP_S3_SECRET'],
      [await other({ region: 'us-east-1' }), 'in another region', 'WINDLASS_BACKUP_S3_REGION'],
      [await other({ endpoint: 'http://127.0.0.1:1' }), 'cannot be reached (bad port)', 'WINDLASS_BACKUP_S3_ENDPOINT'],
    ] as const;
    for (const [text, why, hint] of said) expect(text).to.contain(why).and.contain(hint);
    store.trouble = () => [400, 'InvalidArgument'];
    expect(await other({})).to.contain('refuses a request for bucket backups (400 InvalidArgument)');
    store.trouble = () => [409, '<key>'];
    expect(await other({})).to.contain('refuses a request for bucket backups (409)');
    store.ahead = 3_600_000;
    const skewed = await other({});
    expect(skewed).to.contain('clock').and.contain('NTP');
    for (const text of [...said.map(([first]) => first), skewed])
      for (const secret of [KEY.id, KEY.secret, 'AKIAOTHER', 'another secret']) expect(text).to.not.contain(secret);
  });
});

describe('the name of a bucket', () => {
  it('has one spelling, and no parts that mean something else in a URL', () => {
    const spelled = (text: string): string | null => {
      const location = parseLocation(text);
      return location === null ? null : locationText(location);
    };
    expect(['s3://abc', 's3://abc/', 's3://a.b-c/x/y_1.z/'].map(spelled)).to.deep.equal([
      ...['s3://abc', 's3://abc', 's3://a.b-c/x/y_1.z'],
    ]);
    for (const text of [
      's3:abc',
      's3://',
      's3://ab',
      's3://ABC',
      's3://abc//x',
      's3://abc/../x',
      's3://abc/x y',
      's3://abc/a?b',
    ])
      expect(spelled(text), text).to.equal(null);
  });
});
