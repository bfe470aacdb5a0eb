/** Reads bodies: small ones at once, others in threads, so that no request waits for another's. */
import { Piscina } from 'piscina';
import { type WriterAnswer, sharedDatabase, threadFile, thrownBy } from '../../../../lib/seam.ts';
import { RequestParser, type IntakeLimits, type ParsedRequest, type RawRequest } from './parse-request.ts';

export class BodyReaders {
  readonly #parser: RequestParser;
  readonly #pool: Piscina<RawRequest, WriterAnswer>;

  /** @param threads Most at once; there are none while there is no work. */
  constructor(limits: IntakeLimits, threads: number) {
    const { bodyLimit, batchLimit, lineLimit, geoipFile } = limits;
    const geoip = geoipFile === null ? undefined : sharedDatabase(geoipFile);
    const shared: IntakeLimits = { bodyLimit, batchLimit, lineLimit, geoipFile, geoip };
    this.#parser = new RequestParser(shared);
    this.#pool = new Piscina<RawRequest, WriterAnswer>({
      filename: threadFile(new URL('./parse-thread.js', import.meta.url)).href,
      workerData: shared,
      minThreads: 0,
      maxThreads: threads,
      concurrentTasksPerWorker: 1,
      idleTimeout: 30_000, // how long a thread waits for the next body
      recordTiming: false,
      execArgv: ['--no-experimental-require-module'], // as in query threads
    });
  }

  /** Leaves the body as it is, since it may have to be read again. Rejects with AppError if it is refused as a whole. */
  async read(request: RawRequest): Promise<ParsedRequest> {
    const { body, encoding, context, project, kind, slots } = request;
    // Reading so much takes less time than handing it to a thread. Bytes, not compressed.
    if (encoding === 'identity' && body.byteLength <= 4_096) return this.#parser.parse(request);
    const own = new Uint8Array(body); // a slice of a Buffer has the same memory
    const { id, retentionDays, ipPolicy } = project;
    const { entries, isClosed } = slots;
    const task = {
      kind,
      context,
      encoding,
      body: own,
      project: { id, retentionDays, ipPolicy },
      slots: { entries, isClosed },
    };
    const answer = await this.#pool.run(task, { transferList: [own.buffer] });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the thread answers
    if (answer.ok) return answer.value as ParsedRequest;
    throw thrownBy(answer);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
