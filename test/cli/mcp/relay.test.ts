import { expect } from 'chai';
import { Relay } from '../../../lib/cli/mcp/relay.ts';
import type { ApiRequest } from '../../../lib/cli/client/api-client.ts';
import type { HttpAnswer } from '../../../lib/cli/client/http.ts';
import { LineSplitter } from '../../../lib/cli/track/lines.ts';

const answer = (body: string, type = 'application/json', status = 200): HttpAnswer => ({
  status,
  statusText: '',
  header: (name) => (name === 'content-type' ? type : null),
  body: Buffer.from(body),
});

/** A relay to a host that answers each request so; what it printed, and what it sent. */
function relayTo(reply: (request: ApiRequest, signal: AbortSignal) => Promise<HttpAnswer>) {
  const [printed, sent]: [string[], ApiRequest[]] = [[], []];
  const pass = async (request: ApiRequest, takes: (found: HttpAnswer) => boolean, signal: AbortSignal) => {
    sent.push(request);
    const found = await reply(request, signal);
    expect(takes(found)).to.equal(true);
    return found;
  };
  const relay = new Relay({
    api: { pass },
    writes: false,
    signal: new AbortController().signal,
    print: (line) => printed.push(line),
  });
  const take = async (...messages: readonly object[]): Promise<void> => {
    for (const message of messages)
      for (const line of new LineSplitter().push(Buffer.from(`${JSON.stringify(message)}\n`))) await relay.take(line);
  };
  return { relay, take, printed, sent };
}

describe('messages on their way between an agent and the server', () => {
  it('come one a line, from a stream of events and from JSON on several lines', async () => {
    const replies = [
      answer('event: message\r\ndata: {"id":1}\r\n\r\n: beat\n\ndata: {"id":2}\n\n', 'text/event-stream'),
      answer('{\n  "jsonrpc": "2.0",\r\n  "id": 3\n}'),
    ];
    const { relay, take, printed } = relayTo(() => Promise.resolve(replies.shift()!));
    await take({ id: 1, method: 'tools/list' });
    await relay.end();
    await take({ id: 3, method: 'tools/list' });
    await relay.end();
    expect(printed).to.deep.equal(['{"id":1}', '{"id":2}', '{   "jsonrpc": "2.0",   "id": 3 }']);
  });

  it('repeat in headers what the newest revision wants there, in Base64 where a header cannot hold it', async () => {
    const { relay, take, sent } = relayTo(() => Promise.resolve(answer('', '', 202)));
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    await take(
      { id: 1, method: 'tools/call', params: { name: 'query', _meta: meta } },
      { id: 2, method: 'resources/read', params: { uri: 'windlass://ñ', _meta: meta } },
      { id: 3, method: 'tools/list' },
    );
    await relay.end();
    const headers = sent.map(({ headers: { accept: _accept, ...others } = {} }) => others);
    const revision = { 'mcp-protocol-version': '2026-07-28' };
    expect(headers).to.deep.equal([
      { ...revision, 'mcp-method': 'tools/call', 'mcp-name': 'query' },
      {
        ...revision,
        'mcp-method': 'resources/read',
        'mcp-name': `=?base64?${Buffer.from('windlass://ñ').toString('base64')}?=`,
      },
      {},
    ]);
  });

  it('name the revision of the handshake from then on', async () => {
    const { relay, take, sent } = relayTo(() =>
      Promise.resolve(answer('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}')),
    );
    await take({ id: 1, method: 'initialize', params: {} });
    await relay.end();
    await take({ id: 2, method: 'tools/list' });
    await relay.end();
    expect(sent.map(({ headers }) => headers?.['mcp-protocol-version'])).to.deep.equal([undefined, '2025-06-18']);
  });

  it('end when the agent takes its request back, which nobody answers then', async () => {
    const { relay, take, printed, sent } = relayTo(
      (_request, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    await take({ id: 7, method: 'tools/call', params: { name: 'query' } });
    await take({ method: 'notifications/cancelled', params: { requestId: 7 } });
    await relay.end();
    expect(printed).to.deep.equal([]);
    expect(sent).to.have.length(1);
  });

  it('are sixteen at a time', async () => {
    const release: (() => void)[] = [];
    const { relay, take, sent } = relayTo(
      () => new Promise((resolve) => release.push(() => resolve(answer('{"jsonrpc":"2.0"}')))),
    );
    const taken = take(...Array.from({ length: 20 }, (_, id) => ({ id, method: 'ping' })));
    while (sent.length < 16) await new Promise(setImmediate);
    expect(sent).to.have.length(16);
    const rest = setInterval(() => release.splice(0).forEach((one) => one()), 1);
    await taken;
    await relay.end();
    clearInterval(rest);
    expect(sent).to.have.length(20);
  });
});
