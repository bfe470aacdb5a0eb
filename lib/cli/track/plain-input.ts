/** Refuses files that are not lines of text, which else would be a complaint about each of their lines. */
import { ClientError } from '../client/client-error.ts';
import type { Again } from './resume-command.ts';

/** A kind of file that is not plain text. */
interface OtherKind {
  readonly what: string;
  readonly beginning: Buffer;
  /** That makes text of it; null: none does. */
  readonly program: string | null;
}

export const GZIP = other('compressed with gzip', '1f8b', 'gzip -dc');
export const ZIP = other('a zip file', '504b0304', 'funzip');
const UTF_16 = 'iconv -f UTF-16 -t UTF-8';
export const UTF_16LE = other('UTF-16', 'fffe', UTF_16);
export const UTF_16BE = other('UTF-16', 'feff', UTF_16);

const OTHERS = [
  ...[GZIP, ZIP, UTF_16LE, UTF_16BE],
  other('compressed with zstd', '28b52ffd', 'zstd -dc'),
  other('compressed with xz', 'fd377a585a00', 'xz -dc'),
  other('compressed with bzip2', '425a68', 'bzip2 -dc'),
  other('a Parquet file', '50415231', null),
  other('an Avro file', '4f626a01', null),
];

function other(what: string, beginning: string, program: string | null): OtherKind {
  return { what, beginning: Buffer.from(beginning, 'hex'), program };
}

/** What a file is that begins like this; undefined: it may be text. */
export function otherKind(first: Buffer): OtherKind | undefined {
  return OTHERS.find(({ beginning }) => first.subarray(0, beginning.length).equals(beginning));
}

/** The chunks of stdin; rejects with ClientError if the first begins like such a file. */
export async function* plainInput(chunks: AsyncGenerator<Buffer>, again: Again): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    const kind = isFirst ? otherKind(chunk) : undefined;
    isFirst = false;
    if (kind !== undefined) {
      const hints = kind.program === null ? [] : [`Try: ${again(kind.program)}`];
      throw new ClientError(`stdin is ${kind.what}, not lines of JSON.`, hints);
    }
    yield chunk;
  }
}
