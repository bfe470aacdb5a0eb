/** What lies in a file: itself, what it is compressed from, or the files of an archive. */
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { codeOf, messageOf } from '../../base/errors.ts';
import { ClientError } from '../client/client-error.ts';
import { counted } from '../text.ts';
import { GZIP, otherKind, UTF_16BE, UTF_16LE, ZIP } from '../track/plain-input.ts';
import { bytesOf, isHiddenFile, type GivenFile } from './files.ts';
import { BrokenPart, type FilePart } from './part.ts';
import { peek } from './peek.ts';

/** Text is at most this many times as long as what it is compressed to; a bomb is 1,000 times as long, or millions of times. */
const MOST_RATIO = 200;
/** Bytes from which the ratio is looked at: less is inflated in a moment. */
const RATIO_FROM = 67_108_864;
/** Files of an archive. */
const MOST_ENTRIES = 100_000;

/** Passes on how many bytes of the file were read. */
type OnRead = (bytes: number) => void;

/** The parts of a file in order; each must be read to its end, or left, before the next. Throws ClientError for a file of another kind. */
export async function* partsOf(file: GivenFile, signal: AbortSignal, onRead: OnRead): AsyncGenerator<FilePart> {
  const { first, all } = await peek(counting(bytesOf(file, signal), onRead));
  if (otherKind(first) === ZIP) {
    await all.return(undefined);
    onRead(-first.length);
    yield* entriesOf(file, signal, onRead);
    return;
  }
  yield { name: file.name, chunks: inflated(file.name, all) };
}

async function* counting(chunks: AsyncIterable<Buffer>, onRead: OnRead): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onRead(chunk.length);
    yield chunk;
  }
}

async function* entriesOf(file: GivenFile, signal: AbortSignal, onRead: OnRead): AsyncGenerator<FilePart> {
  const zip = await opened(file);
  try {
    const entries = await listed(zip, file);
    for (const entry of entries) {
      const name = `${file.name}: ${entry.fileName}`;
      yield { name, chunks: inflated(name, unzipped(zip, entry, signal, onRead)) };
    }
  } finally {
    zip.close();
  }
}

async function opened({ path, name }: GivenFile): Promise<ZipFile> {
  try {
    return await openPromise(path, { autoClose: false, lazyEntries: true });
  } catch (error) {
    throw new ClientError(`${name} is a zip file that cannot be read: ${messageOf(error)}.`, [
      'It may be cut: download it again.',
    ]);
  }
}

/** Its files, before any is inflated: what they say of their sizes is held against them later. */
async function listed(zip: ZipFile, { name, size }: GivenFile): Promise<readonly Entry[]> {
  if (zip.entryCount > MOST_ENTRIES)
    throw new ClientError(`${name} has ${counted(zip.entryCount, 'file')}.`, [
      'Unpack it, and import a part at a time.',
    ]);
  const entries: Entry[] = [];
  let bytes = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      bytes += entry.uncompressedSize;
      if (entry.isEncrypted()) throw new ClientError(`${name} is encrypted.`, ['Unpack it first.']);
      if (!entry.fileName.endsWith('/') && !isHiddenFile(entry.fileName)) entries.push(entry);
    }
  } catch (error) {
    if (error instanceof ClientError) throw error;
    throw new ClientError(`${name} is a zip file that cannot be read: ${messageOf(error)}.`);
  }
  if (isBomb(bytes, size)) throw tooLarge(name);
  return entries;
}

const isBomb = (inflatedBytes: number, bytes: number): boolean =>
  inflatedBytes > RATIO_FROM && inflatedBytes > bytes * MOST_RATIO;

function tooLarge(name: string): ClientError {
  return new ClientError(`${name} unpacks to more than ${MOST_RATIO} times its size, as no export of events does.`, [
    'If you trust it, unpack it yourself and import what comes out.',
  ]);
}

async function* unzipped(zip: ZipFile, entry: Entry, signal: AbortSignal, onRead: OnRead): AsyncGenerator<Buffer> {
  const share = entry.compressedSize / Math.max(1, entry.uncompressedSize);
  try {
    const chunks: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry);
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      onRead(chunk.length * share);
      yield chunk;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new BrokenPart(`the archive is damaged here: ${messageOf(error)}`);
  }
}

/** The text of a file that may be compressed. */
async function* inflated(name: string, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const { first, all } = await peek(chunks);
  const kind = otherKind(first);
  if (kind === GZIP) yield* gunzipped(name, all);
  else if (kind === undefined || kind === UTF_16LE || kind === UTF_16BE) yield* all;
  else if (kind === ZIP) throw new ClientError(`${name} is a zip file in a zip file.`, ['Unpack the outer one first.']);
  else
    throw new ClientError(`${name} is ${kind.what}, which is not read.`, [
      kind.program === null ? 'Export lines of JSON, or CSV.' : `Try: ${kind.program} FILE | wl import -`,
    ]);
}

async function* gunzipped(name: string, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const bytes = { in: 0, out: 0 };
  const source = counting(chunks, (size) => (bytes.in += size));
  const gunzip = createGunzip({ chunkSize: 262_144 }); // bytes; the usual 16 KiB cost as much as the inflating
  const running = pipeline(source, gunzip);
  running.catch(() => undefined); // whoever reads the text learns of it
  const inflating: AsyncIterable<Buffer> = gunzip;
  try {
    for await (const chunk of inflating) {
      bytes.out += chunk.length;
      if (isBomb(bytes.out, bytes.in)) throw tooLarge(name);
      yield chunk;
    }
    await running;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'Z_BUF_ERROR') throw new BrokenPart('it ends too early: is the download complete?');
    if (code.startsWith('Z_')) throw new BrokenPart(`it is damaged: ${messageOf(error)}`);
    throw error;
  }
}
