/** Reads one answer of HTTP/1.1 from the bytes of a connection, in whatever pieces they come. */
import type { Answer } from './attempt.ts';

/** What an answer may take in memory: one to a batch names at most a hundred events. */
const MAX_HEAD = 65_536; // bytes
const MAX_BODY = 16_777_216; // bytes
const LINE_END = '\r\n';
const END_OF_HEAD = '\r\n\r\n';
/** What begins otherwise need not be read to its end, which may not come: TLS, say, of a server that takes only that. */
const BEGINNING = Buffer.from('HTTP/');
const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3}) ?(.*)$/;
const CHUNK_LINE = /^[0-9a-f]{1,8}(?=\s*(?:;|$))/i;

interface Head {
  readonly status: number;
  readonly statusText: string;
  readonly header: (name: string) => string | null;
  /** Whether the connection ends after it. */
  readonly isLast: boolean;
}

/** Methods throw ProtocolError for what is no answer. */
export class AnswerReader {
  #head: Head | null = null;
  /** What was read, without the head once that is known. */
  #bytes: Buffer = Buffer.alloc(0);
  #isWhole = false;

  /** Takes bytes. Returns the answer once it is whole. */
  push(bytes: Buffer): Answer | null {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    while (this.#head === null || this.#head.status < 200) if (!this.#readHead()) return null;
    if (this.#bytes.length > MAX_BODY)
      throw new ProtocolError(`its answer is larger than ${MAX_BODY.toLocaleString('en')} bytes`);
    const body = this.#body(this.#head);
    return body && this.#answer(this.#head, body);
  }

  /** The connection ended: the answer, if that is what ends it. */
  end(): Answer | null {
    return this.#head !== null && !isDelimited(this.#head) ? this.#answer(this.#head, this.#bytes) : null;
  }

  /** Whether the connection can take another request after this answer. */
  get isReusable(): boolean {
    return this.#isWhole && this.#head?.isLast === false;
  }

  /** Reads the next head; those of 1xx announce another. */
  #readHead(): boolean {
    const end = this.#bytes.indexOf(END_OF_HEAD);
    if ((end === -1 ? this.#bytes.length : end) > MAX_HEAD)
      throw new ProtocolError('the head of its answer is too long');
    if (this.#bytes.length >= BEGINNING.length && !this.#bytes.subarray(0, BEGINNING.length).equals(BEGINNING))
      throw new ProtocolError('it is not HTTP');
    if (end === -1) return false;
    this.#head = headOf(this.#bytes.toString('latin1', 0, end));
    this.#bytes = this.#bytes.subarray(end + END_OF_HEAD.length);
    return true;
  }

  /** Null: there is more to come. */
  #body({ status, header }: Head): Buffer | null {
    if (status === 204 || status === 304) return this.#complete(0);
    if (header('transfer-encoding')?.toLowerCase() === 'chunked') return this.#chunks();
    const length = header('content-length');
    if (length === null) return null;
    if (!/^\d{1,9}$/.test(length)) throw new ProtocolError('its answer has no proper length');
    return this.#bytes.length < Number(length) ? null : this.#complete(Number(length));
  }

  #complete(length: number): Buffer {
    this.#isWhole = this.#bytes.length === length; // what nobody asked for must not answer the next request
    return this.#bytes.subarray(0, length);
  }

  #chunks(): Buffer | null {
    const parts: Buffer[] = [];
    for (let at = 0; ;) {
      const lineEnd = this.#bytes.indexOf('\r\n', at);
      if (lineEnd === -1) return null;
      const size = CHUNK_LINE.exec(this.#bytes.toString('latin1', at, lineEnd))?.[0];
      if (size === undefined) throw new ProtocolError('its answer is not in proper chunks');
      const from = lineEnd + 2;
      const to = from + Number.parseInt(size, 16);
      if (to === from) return this.#afterChunks(from, parts);
      if (this.#bytes.length < to + 2) return null;
      parts.push(this.#bytes.subarray(from, to));
      at = to + 2;
    }
  }

  /** After the last chunk come trailers, perhaps, and an empty line. */
  #afterChunks(from: number, parts: readonly Buffer[]): Buffer | null {
    const end = this.#bytes.indexOf(END_OF_HEAD, from - 2);
    if (end === -1) return null;
    this.#complete(end + END_OF_HEAD.length);
    return Buffer.concat(parts);
  }

  #answer({ status, statusText, header }: Head, body: Buffer): Answer {
    if ((header('content-encoding') ?? 'identity') !== 'identity')
      throw new ProtocolError('it is compressed, although nobody asked for that');
    return { status, statusText, header, body };
  }
}

/** What came is not HTTP as it should be; the message says why the answer cannot be read. */
export class ProtocolError extends Error {}

function headOf(text: string): Head {
  const end = text.indexOf(LINE_END);
  const [, minor, status, statusText = ''] = STATUS_LINE.exec(end === -1 ? text : text.slice(0, end)) ?? [];
  if (status === undefined) throw new ProtocolError('it is not HTTP');
  const lower = text.toLowerCase();
  // Looked for when asked for: to take all of the lines apart costs as much as the rest of a small answer.
  const header = (name: string): string | null => {
    const at = lower.lastIndexOf(`${LINE_END}${name}:`);
    if (at === -1) return null;
    const from = at + LINE_END.length + name.length + 1;
    const to = text.indexOf(LINE_END, from);
    return text.slice(from, to === -1 ? undefined : to).trim();
  };
  const isLast = minor === '0' || header('connection')?.toLowerCase() === 'close';
  return { status: Number(status), statusText, header, isLast };
}

/** Whether the answer itself says where it ends. */
function isDelimited({ status, header }: Head): boolean {
  return status < 200 || header('content-length') !== null || header('transfer-encoding') !== null;
}
