/** Exports of a service, and a project to export. */
import { expect } from 'chai';
import { fetch } from './checked-fetch.ts';
import type { TestService } from './service.ts';

const START = Date.UTC(2026, 0, 10);
/** A time of the events of `fill`. */
export const at = (ms: number): string => new Date(START + ms).toISOString();
export type Line = Readonly<Record<string, unknown>>;

/** GET /export. */
export const ask = (
  test: TestService,
  parameters: Readonly<Record<string, string>> = {},
  key?: string,
): Promise<Response> =>
  fetch(`${test.url}/export?${new URLSearchParams(parameters).toString()}`, {
    headers: { 'X-API-Key': key ?? test.keys.secretKey },
  });

export const linesOf = (text: string): Line[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));

export async function lines(test: TestService, parameters: Readonly<Record<string, string>> = {}): Promise<Line[]> {
  const response = await ask(test, parameters);
  const text = await response.text();
  expect(response.status, text).to.equal(200);
  return linesOf(text);
}

/** All pages, each with the cursor of the one before. */
export async function paged(
  test: TestService,
  parameters: Readonly<Record<string, string>>,
  limit: number,
): Promise<string> {
  let text = '';
  for (let cursor: string | null = null, complete = false; !complete;) {
    const response = await ask(test, { ...parameters, limit: String(limit), ...(cursor === null ? {} : { cursor }) });
    text += await response.text();
    expect(response.status, text).to.equal(200);
    cursor = response.headers.get('x-next-cursor');
    complete = response.headers.get('x-complete') === 'true';
  }
  return text;
}

/** Events of two devices and three users, whose times overlap from request to request. */
export async function fill(test: TestService): Promise<void> {
  const headers = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' };
  await test.post('/track', {
    events: [
      { event_type: 'view', insert_id: 'id-1', device_id: 'd1', session_id: 's1', time: at(10), event_properties: { url: 'https://a.example/x?utm_source=mail', title: '' } },
      { event_type: 'view', insert_id: 'id-2', device_id: 'd2', session_id: 's2', time: at(10), event_properties: { url: 'https://a.example/y', n: 1.5 } },
      { event_type: 'signup', user_id: 'ann', device_id: 'd1', session_id: 's1', time: at(30), insert_id: 'mine', user_properties: { plan: 'free', seats: 3 } },
    ],
  }, headers); // prettier-ignore
  await test.post('/query', { q: '* | count' });
  await test.post('/track', {
    events: [
      { event_type: 'buy', insert_id: 'id-3', user_id: 'bob', time: at(20), _country: 'NO', _browser: 'Own', library: 'mylib', ip: '203.0.113.9', event_properties: { price: 12, tags: ['a', 'b', null], deep: { x: [1, { y: 'z' }] }, none: null, yes: true, digits: '007', '=1+1': '=2' } },
      { event_type: 'buy', insert_id: 'id-4', user_id: 'bob', time: at(40), origin: 'server', event_properties: { price: '12.50', text: 'ä\n"\u2028' } },
      { event_type: 'beat', insert_id: 'id-5', time: at(50), clientOriginated: true },
    ],
  }); // prettier-ignore
  await test.post('/identify', { user_id: 'ann', device_id: 'd1', time: at(35), user_properties: { email: 'ann@example.com', plan: 'pro' } }); // prettier-ignore
  await test.post('/identify', { user_id: 'cid', time: at(5), user_properties: { plan: 'free' } });
  await test.post('/identify', { user_id: 'cid', time: at(90) });
}
