import { expect } from 'chai';
import { AnswerReader, ProtocolError } from '../../../lib/cli/client/answer-reader.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const CHUNKS = `${OK}Transfer-Encoding: chunked\r\n\r\n4\r\n{"a"\r\n9;x=y\r\n:"\r\n123"}\r\n0\r\n`;

/** What a reader finds in a text that comes in pieces of so many bytes. */
function readIn(size: number, text: string) {
  const reader = new AnswerReader();
  const bytes = Buffer.from(text);
  let answer = null;
  for (let at = 0; at < bytes.length && answer === null; at += size)
    answer = reader.push(bytes.subarray(at, at + size));
  answer ??= reader.end();
  return (
    answer && {
      status: answer.status,
      text: answer.statusText,
      type: answer.header('content-type'),
      body: answer.body.toString(),
      isReusable: reader.isReusable,
    }
  );
}

describe('an answer of HTTP/1.1', () => {
  const whole = { status: 200, text: 'OK', type: 'application/json', body: '{"a":"\r\n123"}', isReusable: true };
  const cases: [title: string, text: string, answer: ReturnType<typeof readIn>][] = [
    ['with a length', `${OK}Content-Length: 13\r\n\r\n{"a":"\r\n123"}`, whole],
    ['in chunks', `${CHUNKS}\r\n`, whole],
    ['in chunks with a trailer', `${CHUNKS}X-Time: 1\r\n\r\n`, whole],
    ['after another that announces it', `HTTP/1.1 100 Continue\r\n\r\n${CHUNKS}\r\n`, whole],
    ['that ends with the connection', `${OK}\r\n${whole.body}`, { ...whole, isReusable: false }],
    [
      'that is the last of its connection',
      `${OK}Content-Length: 13\r\nconnection: Close\r\n\r\n${whole.body}`,
      { ...whole, isReusable: false },
    ],
    [
      'of HTTP/1.0',
      `${OK.replace('1.1', '1.0')}Content-Length: 13\r\n\r\n${whole.body}`,
      { ...whole, isReusable: false },
    ],
    ['without a body', 'HTTP/1.1 204\r\n\r\n', { ...whole, status: 204, text: '', type: null, body: '' }],
    ['cut in its head', OK, null],
    ['cut in its body', `${OK}Content-Length: 14\r\n\r\n${whole.body}`, null],
    ['cut in its chunks', CHUNKS, null],
  ];
  for (const [title, text, answer] of cases)
    it(`${title} is read the same however its pieces fall`, () => {
      for (const size of [1, 2, 3, 7, 1_000]) expect(readIn(size, text), `pieces of ${size}`).to.deep.equal(answer);
    });

  it('does not leave a connection to the next request when more came than was asked for', () => {
    const reader = new AnswerReader();
    expect(reader.push(Buffer.from(`${OK}Content-Length: 2\r\n\r\n{}HTTP/1.1 200`))?.body.toString()).to.equal('{}');
    expect(reader.isReusable).to.equal(false);
  });

  const broken = {
    'is not HTTP': 'SSH-2.0-OpenSSH\r\n\r\n',
    'is TLS, of which more may never come': '\x15\x03\x01\0\x02\x02F',
    'has a head without end': `${OK}x: ${'y'.repeat(65_536)}`,
    'has no proper length': `${OK}Content-Length: -1\r\n\r\n`,
    'has no proper chunks': `${OK}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`,
    'is packed': `${OK}Content-Length: 2\r\nContent-Encoding: br\r\n\r\n{}`,
    'is larger than memory allows': `${OK}\r\n${'x'.repeat(16_777_217)}`,
  };
  for (const [title, text] of Object.entries(broken))
    it(`is refused where it ${title}`, () => {
      expect(() => new AnswerReader().push(Buffer.from(text))).to.throw(ProtocolError);
    });
});
