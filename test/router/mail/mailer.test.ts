import { expect } from 'chai';
import { silentLog } from '../../../lib/base/log.ts';
import { Mailer } from '../../../lib/router/mail/mailer.ts';
import { MailServer } from './mail-server.ts';

const LETTER = {
  subject: 'Größe <b>',
  paragraphs: ['One & <two>', 'Zweiter Absatz: ä'],
  link: { label: 'Open', href: 'https://host.example/?a=1&b=2' },
  foot: 'Sent by a test.',
};

describe('the mailer', () => {
  let server: MailServer;
  let mailer: Mailer;
  let url: string;
  beforeEach(async () => {
    server = new MailServer();
    url = await server.start();
    mailer = new Mailer({ url, from: () => 'Windlass <w@host.example>', patience: 10_000, pause: 5, log: silentLog() });
  });
  afterEach(async () => {
    await server.stop(); // first: a letter that is not answered ends with its connection
    await mailer.close();
  });

  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((done) => setTimeout(done, 5));
  };

  it('sends plain text and HTML, in which nothing of a tenant is markup', async () => {
    mailer.send('ada@example.com', 'test', LETTER);
    const { to, subject, text, raw } = await server.next();
    expect([to, subject]).to.deep.equal(['ada@example.com', 'Größe <b>']);
    expect(text).to.contain('One & <two>').and.contain('Zweiter Absatz: ä').and.contain('https://host.example/?a=1&b=2');
    const [, ofHtml = ''] = raw.split('Content-Type: text/html');
    expect(ofHtml).to.contain('One &amp; &lt;two&gt;').and.not.contain('<two>');
    expect(raw).to.match(/^From: Windlass <w@host\.example>/m);
    await until(() => mailer.counts.sent === 1);
  }); // prettier-ignore

  it('tries again what the server does not take now, and not what it refuses', async () => {
    server.answer = '451 later';
    mailer.send('ada@example.com', 'test', LETTER);
    await until(() => server.asked === 2);
    server.answer = '250 taken';
    expect((await server.next()).to).to.equal('ada@example.com');
    const before = mailer.counts.failed;
    server.answer = '550 no such person';
    mailer.send('nobody@example.com', 'test', LETTER);
    await until(() => mailer.counts.lost === 1);
    expect(mailer.counts.failed).to.equal(before + 1);
  });

  it('gives a letter up after its tries, and counts it', async () => {
    server.answer = '451 later';
    mailer.send('ada@example.com', 'test', LETTER);
    await until(() => mailer.counts.lost === 1);
    expect([server.asked, mailer.counts.failed]).to.deep.equal([4, 4]);
  });

  it('does not wait for a server that hangs', async () => {
    const impatient = new Mailer({ url, from: () => 'w@host.example', patience: 20, pause: 1, log: silentLog() });
    server.answer = null;
    impatient.send('ada@example.com', 'test', LETTER);
    await until(() => impatient.counts.lost === 1);
    expect(impatient.counts.sent).to.equal(0);
    await impatient.close();
  });

  it('holds no more letters than it may, and none once it is closed', async () => {
    server.answer = null;
    for (let nth = 0; nth < 1_001; nth++) mailer.send('ada@example.com', 'test', LETTER);
    expect(mailer.counts.lost).to.equal(1);
  });
});
