/**
 * A ClickHouse server for tests: chDB, which is ClickHouse's engine as a library, behind as much of its HTTP protocol as
 * @clickhouse/client needs. Its own process, since a query can take the engine down with it. Arguments: the folder of the
 * data, the port (0: any). Tells its parent the port, and ends when the parent does.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { openEngine, type Call } from './engine.ts';

const [, , folder = '', port = '0'] = process.argv;
const engine = openEngine(folder);

/** Parameters of a request that are not settings of the engine. */
const OURS = new Set(['query', 'database', 'query_id', 'session_id', 'role', 'wait_end_of_query', 'default_format']);

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    refuse(response, error);
  });
});
// A busy engine holds up the event loop for seconds, after which Node would close connections whose next request waits in them.
server.keepAliveTimeout = 0;
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
process.once('disconnect', () => process.exit());

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname === '/ping') {
    response.end('Ok.\n');
    return;
  }
  const call = await callOf(request, url.searchParams);
  const left = (): void => {
    if (!response.writableFinished) engine.kill(call.id);
  };
  response.once('close', left);
  const { bytes, rowsRead, bytesRead, elapsed } = await engine.run(call);
  const summary = { read_rows: String(rowsRead), read_bytes: String(bytesRead), elapsed_ns: String(elapsed * 1e9) };
  response.setHeader('X-ClickHouse-Query-Id', call.id);
  response.setHeader('X-ClickHouse-Summary', JSON.stringify(summary));
  response.end(bytes);
}

async function callOf(request: IncomingMessage, params: URLSearchParams): Promise<Call> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  let body = Buffer.concat(pieces);
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(body, { headers: { 'content-type': type } }).formData();
    for (const [name, value] of form) if (typeof value === 'string') params.set(name, value);
    body = Buffer.alloc(0);
  }
  const given = [...params];
  const told = params.get('query') ?? '';
  const isInsert = /^\s*INSERT\s[^]*\sFORMAT\s+\w+\s*$/i.test(told);
  return {
    id: params.get('query_id') ?? '',
    database: params.get('database') ?? 'default',
    sql: isInsert || body.length === 0 ? told : `${told}\n${body.toString()}`,
    rows: isInsert ? body : null,
    values: given.flatMap(([name, value]) => (name.startsWith('param_') ? [[name, value] as const] : [])),
    settings: given.filter(([name]) => !OURS.has(name) && !name.startsWith('param_')),
  };
}

function refuse(response: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? error.message.replace(/^Query failed: /, '') : String(error);
  const code = /Code: (\d+)/.exec(message)?.[1];
  response.statusCode = code === '516' ? 403 : 500;
  if (code !== undefined) response.setHeader('X-ClickHouse-Exception-Code', code);
  response.end(message);
}
