/** Entry of a thread that reads bodies. */
import { workerData } from 'piscina';
import { type WriterAnswer, answerOf } from '../../../../lib/seam.ts';
import { RequestParser, type IntakeLimits, type RawRequest } from './parse-request.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the pool starts the thread with
const parser = new RequestParser(workerData as IntakeLimits);

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run(request: RawRequest): WriterAnswer {
  return answerOf(0, () => parser.parse(request));
}
