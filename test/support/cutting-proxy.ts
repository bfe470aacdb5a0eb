/** A way to a server on which answers get lost: the server has done what it was asked, and the client does not hear of it. */
import { request } from 'node:http';
import { listenOnLoopback } from './listening.ts';

export interface CuttingProxy {
  readonly url: string;
  /** How many answers were lost. */
  readonly cut: number;
  stop(): Promise<void>;
}

/** @param isLost Whether the answer to this statement gets lost. */
export async function cuttingProxy(target: string, isLost: (statement: string) => boolean): Promise<CuttingProxy> {
  let cut = 0;
  const server = await listenOnLoopback(() => (from, to) => {
    const { method, url = '/', headers } = from;
    const on = request(new URL(url, target), { method, headers }, (answer) => {
      const lost = isLost(new URL(url, target).searchParams.get('query') ?? '');
      if (!lost) {
        to.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(to);
        return;
      }
      cut++;
      answer.resume().on('end', () => to.destroy());
    });
    on.on('error', () => to.destroy());
    from.pipe(on);
  });
  return {
    url: server.url,
    get cut() {
      return cut;
    },
    stop: () => server.stop(),
  };
}
