/** Refuses files that are not lines of text, which else would be a complaint about each of their lines. */
import { ClientError } from '../client/client-error.ts';
import type { Again } from './resume-command.ts';

/** How such files begin, and the program that makes text of them. */
const OTHERS: readonly (readonly [what: string, beginning: Buffer, program: string])[] = [
  ['compressed with gzip', Buffer.from('1f8b', 'hex'), 'gzip -dc'],
  ['compressed with zstd', Buffer.from('28b52ffd', 'hex'), 'zstd -dc'],
  ['compressed with xz', Buffer.from('fd377a585a00', 'hex'), 'xz -dc'],
  ['compressed with bzip2', Buffer.from('BZh'), 'bzip2 -dc'],
  ['a zip file', Buffer.from('504b0304', 'hex'), 'funzip'],
  ['UTF-16', Buffer.from('fffe', 'hex'), 'iconv -f UTF-16 -t UTF-8'],
  ['UTF-16', Buffer.from('feff', 'hex'), 'iconv -f UTF-16 -t UTF-8'],
];

/** The chunks of stdin; rejects with ClientError if the first begins like such a file. */
export async function* plainInput(chunks: AsyncGenerator<Buffer>, again: Again): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    const other = isFirst
      ? OTHERS.find(([, beginning]) => chunk.subarray(0, beginning.length).equals(beginning))
      : undefined;
    isFirst = false;
    if (other !== undefined)
      throw new ClientError(`stdin is ${other[0]}, not lines of JSON.`, [`Try: ${again(other[2])}`]);
    yield chunk;
  }
}
