import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import net from 'node:net';
import { expect } from 'chai';
import { UnreadAnswers } from '../../../lib/router/http/unread-answers.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const EVENTS = 1_500;
const QUERY = JSON.stringify({ q: '* | list', format: 'json', limit: EVENTS });

/** A client that sends a query and never reads. */
async function ask(test: TestService): Promise<net.Socket> {
  const { hostname, port } = new URL(test.url);
  const socket = net.connect({ host: hostname, port: Number(port) }).pause();
  await once(socket, 'connect');
  const head = `POST /query HTTP/1.1\r\nhost: x\r\nx-api-key: ${test.keys.secretKey}\r\ncontent-type: application/json`;
  socket.write(`${head}\r\ncontent-length: ${QUERY.length}\r\n\r\n${QUERY}`);
  return socket;
}

/** Sends and reads queries until an answer has that status. */
async function askUntil(test: TestService, status: number, otherwise: () => unknown): Promise<string> {
  for (;;) {
    const answer = await test.post('/query', Buffer.from(QUERY));
    const text = await answer.text();
    if (answer.status === status) return text;
    await otherwise();
  }
}

describe('answers that nobody reads', () => {
  it('are bounded: who leaves large ones is refused more until they are gone, and small ones still find room', async () => {
    const test = await startTestService({ WINDLASS_MEMORY: '128MiB' }); // 8 MiB of answers
    const text = 'x'.repeat(8_000);
    const lines = Array.from({ length: EVENTS }, (_, n) =>
      JSON.stringify({ event_type: 'e', event_properties: { text: `${text}${n}` } }),
    );
    const body = Buffer.from(lines.join('\n'));
    const headers = { 'X-API-Key': test.keys.project.publicKey, 'content-type': 'application/x-ndjson' };
    expect((await test.post('/track', body, headers)).status).to.equal(200);

    const sockets: net.Socket[] = [];
    try {
      const refused = await askUntil(test, 429, async () => sockets.push(await ask(test)));
      expect(JSON.parse(refused)).to.deep.include({ code: 'overloaded' });
      expect(await test.rows('* | count'), 'a small answer').to.deep.equal([{ count: EVENTS }]);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    await askUntil(test, 200, () => undefined);
    await test.stop();
  });

  it('leave room for other organizations, and count until they are read or their clients are gone', () => {
    const unit = 128 << 10;
    const answers = new UnreadAnswers(1_000 * unit);
    const flood = { id: 'prj_flood', orgId: 'org_flood', weight: 1 };
    const held: ServerResponse[] = [];
    const hold = (tenant: typeof flood, bytes: number): void => {
      const response = new ServerResponse(new IncomingMessage(new net.Socket()));
      answers.hold(response, tenant, bytes * unit);
      held.push(response);
    };
    for (let n = 0; n < 3; n++) hold(flood, 100);
    expect(() => hold(flood, 100)).to.throw('unread answers');
    hold({ id: 'prj_small', orgId: 'org_small', weight: 1 }, 5_000); // counts as a quarter
    expect(answers.bytes).to.equal(550 * unit);
    for (const response of held) response.emit('close');
    expect(answers.bytes).to.equal(0);
  });
});
