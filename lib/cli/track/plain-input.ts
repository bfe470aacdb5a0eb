/** Refuses files that are not lines of text, which else would be a complaint about each of their lines. */
import { ClientError } from '../client/client-error.ts';

/** How such files begin, and the program that makes text of them. */
const OTHERS: readonly (readonly [what: string, beginning: Buffer, program: string])[] = [
  ['compressed with gzip', Buffer.from('1f8b', 'hex'), 'gzip -dc FILE'],
  ['compressed with zstd', Buffer.from('28b52ffd', 'hex'), 'zstd -dc FILE'],
  ['compressed with xz', Buffer.from('fd377a585a00', 'hex'), 'xz -dc FILE'],
  ['compressed with bzip2', Buffer.from('BZh'), 'bzip2 -dc FILE'],
  ['a zip file', Buffer.from('504b0304', 'hex'), 'unzip -p FILE'],
  ['UTF-16', Buffer.from('fffe', 'hex'), 'iconv -f UTF-16 -t UTF-8 FILE'],
  ['UTF-16', Buffer.from('feff', 'hex'), 'iconv -f UTF-16 -t UTF-8 FILE'],
];

/** The chunks of stdin; rejects with ClientError if the first begins like such a file. `command` reads stdin. */
export async function* plainInput(chunks: AsyncGenerator<Buffer>, command: string): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    const other = isFirst
      ? OTHERS.find(([, beginning]) => chunk.subarray(0, beginning.length).equals(beginning))
      : undefined;
    isFirst = false;
    if (other !== undefined)
      throw new ClientError(`stdin is ${other[0]}, not lines of JSON.`, [`Try: ${other[2]} | ${command}`]);
    yield chunk;
  }
}
