import { expect } from 'chai';
import { sendMessage, type ReceiverReply } from '../../lib/webhooks/webhooks.ts';
import { Receiver } from './receiver.ts';

describe('sending a webhook', () => {
  let receiver: Receiver;
  let port: number;
  before(async () => {
    receiver = new Receiver();
    port = await receiver.start();
  });
  after(() => receiver.stop());

  const send = (host: string, allowPrivate: boolean): Promise<ReceiverReply> =>
    sendMessage(
      { url: `http://${host}/hook`, secret: Buffer.alloc(24), allowPrivate },
      { id: 'msg_1', body: '{"type":"x"}' },
      new AbortController().signal,
    );

  it('refuses addresses of the inside, however they are written, and names that lead to them', async () => {
    const written = ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0x7f000001', '2130706433', '0.0.0.0', 'localhost'];
    const inside = ['10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '224.0.0.1'];
    const inside6 = ['[fe80::1]', '[fd00::1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[::]', '[::127.0.0.1]', '[4000::1]'];
    for (const host of [...written, ...inside, ...inside6]) {
      const { delivered, answer } = await send(`${host}:${port}`, false);
      expect([delivered, answer], host).to.deep.equal([false, 'the address is private: WINDLASS_WEBHOOK_PRIVATE allows it']);
    }
    expect(receiver.deliveries).to.have.length(0);
    expect(await send(`localhost:${port}`, true)).to.deep.equal({ delivered: true, answer: '200' });
  }); // prettier-ignore

  it('follows no redirect', async () => {
    receiver.status = 302;
    const before = receiver.deliveries.length;
    expect(await send(`127.0.0.1:${port}`, true)).to.deep.equal({ delivered: false, answer: '302' });
    expect(receiver.deliveries.length - before).to.equal(1);
  });

  it('says why nobody answered, without the address', async () => {
    expect(await send('127.0.0.1:1', true)).to.deep.equal({ delivered: false, answer: 'ECONNREFUSED' });
    expect(await send('nowhere.invalid', true)).to.deep.equal({ delivered: false, answer: 'ENOTFOUND' });
  });
});
