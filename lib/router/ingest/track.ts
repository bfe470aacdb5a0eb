/** POST /track: events of a project, one or a batch. The hot path: nothing here costs more than it must. */
import { JSON_TYPE, sendJson, sendText } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import type { DirectHandler } from '../http/direct.ts';
import { ingest } from './ingest.ts';
import { isSwitchedOn } from '../http/query-string.ts';

export function track(context: RouterContext): DirectHandler {
  return async (request, response) => {
    const result = await ingest(context, request, response, 'track');
    if (result === null) return;
    if (isSwitchedOn(request, 'report')) {
      const { accepted, rejected, errors } = result;
      sendJson(response, 200, { accepted, rejected, errors });
      return;
    }
    sendText(response, 200, JSON_TYPE, `{"accepted":${result.accepted}}`);
  };
}
