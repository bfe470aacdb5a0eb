import { expect } from 'chai';
import { createServer, type RequestListener, type Server } from 'node:http';
import { sendBatches } from '../../bench/ingest/batches.ts';
import { batchBodies } from '../../bench/ingest/bodies.ts';
import { HttpConnection, postRequest } from '../../bench/http-connection.ts';

describe("the bench's HTTP client", () => {
  let server: Server;
  afterEach((done) => {
    server.closeAllConnections();
    server.close(done);
  });

  async function listen(answer: RequestListener): Promise<number> {
    server = createServer(answer);
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('no address');
    return address.port;
  }

  it('reads answers of known length and chunked ones one after the other on one connection', async () => {
    let answered = 0;
    const port = await listen((request, response) => {
      request.resume().on('end', () => {
        if (answered++ % 2 === 0) response.end('x'.repeat(200_000));
        else response.write('first ', () => setTimeout(() => response.end('second'), 5));
      });
    });
    const connection = await HttpConnection.open('127.0.0.1', port);
    const request = postRequest('/', { 'X-API-Key': 'sk_1' }, Buffer.from('{}'));
    for (let round = 0; round < 2; round++) {
      const long = await connection.send(request);
      expect([long.status, long.body.length]).to.deep.equal([200, 200_000]);
      const chunked = await connection.send(request);
      expect(chunked.body.toString()).to.equal('first second');
    }
    connection.close();
  });

  it('fails at once on a connection that the server has closed', async () => {
    const port = await listen((_request, response) => response.end('ok'));
    const connection = await HttpConnection.open('127.0.0.1', port);
    const request = postRequest('/', {}, Buffer.from('{}'));
    await connection.send(request);
    server.closeAllConnections();
    await new Promise((later) => setTimeout(later, 50));
    expect(await connection.send(request).catch(String)).to.contain('closed the connection');
  });

  it('sends every batch once over all connections and says when one was refused', async () => {
    const seen: string[] = [];
    const port = await listen((request, response) => {
      let body = '';
      request.on('data', (data: Buffer) => (body += data.toString()));
      request.on('end', () => {
        seen.push(body);
        const { events }: { events: unknown[] } = JSON.parse(body);
        response.end(JSON.stringify({ accepted: events.length }));
      });
    });
    const lines = Array.from({ length: 25 }, (_, i) => `{"event_type":"e${i}"}`);
    const bodies = batchBodies(lines, 10);
    const result = await sendBatches({ host: '127.0.0.1', port, key: 'sk_1' }, bodies, { events: 25, connections: 2 });
    expect(result.events).to.equal(25);
    expect(seen.sort()).to.deep.equal(bodies.map(String).sort());
    const missing = await sendBatches({ host: '127.0.0.1', port, key: 'sk_1' }, bodies, {
      events: 26,
      connections: 2,
    }).catch(String);
    expect(missing).to.contain('25 of 26 events were accepted');
  });
});
