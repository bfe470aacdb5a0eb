import { expect } from 'chai';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { AppError } from '../../../../lib/base/errors.ts';
import { type BatchRoot, NO_ROOT } from '../../../../lib/shards/ingest/normalise/context.ts';
import { parseBatch, parseJson } from '../../../../lib/shards/ingest/normalise/body.ts';
import { inflate, inflateAccepted } from '../../../../lib/base/inflate.ts';

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function errorOf(run: () => unknown): { code: string; message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return { code: error.data.code, message: error.data.message };
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('parseBatch', () => {
  const parse = (text: string, max = 3): { events: unknown[]; root: BatchRoot } => {
    const { events, root } = parseBatch(bytes(text), max);
    return { events: [...events], root };
  };

  it('takes a batch and a single event', () => {
    expect(parse('{"events":[1,{}]}')).to.deep.equal({ events: [1, {}], root: NO_ROOT });
    expect(parse('{"events":[]}').events).to.deep.equal([]);
    expect(parse('{"event_type":"e"}')).to.deep.equal({ events: [{ event_type: 'e' }], root: NO_ROOT });
  });

  it('takes a root wherever it stands', () => {
    expect(parse('{"events":[],"origin":"server","sent_at":0}').root).to.deep.equal({
      sentAt: 0,
      originServer: true,
      clientOriginated: false,
      strict: false,
    });
  });

  it('reads whole numbers beyond 2^53 as bigints, wherever they stand, and no others', () => {
    const body = '{"user_id":1541815603606036480,"time":9007199254740991,"event_properties":{"a":[{"b": -9007199254740993}],"c":9007199254740993.5}}';
    const event = {
      user_id: 1541815603606036480n,
      time: 9007199254740991,
      event_properties: { a: [{ b: -9007199254740993n }], c: 9007199254740994 },
    };
    expect(parse(body).events).to.deep.equal([event]);
    expect(parse(`{"x":[{}],"events":[{},${body}]}`).events).to.deep.equal([{}, event]);
    const text = String.raw`}]{[\"\\"user_id\":1541815603606036480,`;
    expect(parse(JSON.stringify({ a: text })).events).to.deep.equal([{ a: text }]);
  }); // prettier-ignore

  it('skips a BOM and reads what is no UTF-8 as U+FFFD', () => {
    expect(parse('\ufeff{"events":[]}').events).to.deep.equal([]);
    const broken = Buffer.concat([bytes('{"event_type":"'), Buffer.from([0xff]), bytes('"}')]);
    expect([...parseBatch(broken, 1).events]).to.deep.equal([{ event_type: '\ufffd' }]);
  });

  it('lets the last of a key win', () => {
    expect(parse('{"events":5,"events":[1]}').events).to.deep.equal([1]);
  });

  it('refuses what is no object, and events that are no array', () => {
    for (const body of ['[]', '5', '"a"', 'null', '[{"event_type":"e"}]', '{"events":{}}', '{"events":null}']) {
      expect(errorOf(() => parse(body)).code, body).to.equal('bad_request');
    }
  });

  it('refuses too many events', () => {
    expect(parse('{"events":[1,2,3]}').events).to.have.length(3);
    expect(errorOf(() => parse('{"events":[1,2,3,4]}'))).to.deep.equal({
      code: 'batch_too_large',
      message: 'A batch holds at most 3 events; this one has 4.',
    });
  });

  describe('of more than 64 KiB', () => {
    const LONG = `{"event_properties":{"text":"${'}],'.repeat(30_000)}"}}`;
    const long = JSON.parse(LONG) as unknown;

    it('has its events, wherever they stand and however their key is written', () => {
      for (const body of [
        `{"events":[1,${LONG},{}],"origin":"server"}`,
        `\ufeff { "origin" : "server" , "events" :\n[ 1 , ${LONG} , {} ] } `,
        `{"x":{"events":[5]},"events":[5],"events":{},"\\u0065vents":[1,${LONG},{}],"origin":"server"}`,
      ]) {
        const batch = parse(body);
        expect(batch.events).to.deep.equal([1, long, {}]);
        expect(batch.root.originServer).to.equal(true);
      }
      expect(parse(LONG).events).to.deep.equal([long]);
      expect(parse(`{"events":[ ],"a":${LONG}}`).events).to.deep.equal([]);
    });

    it('has its events before or among the first 16,384 members', () => {
      const others = Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join();
      expect(parse(`{"events":[${LONG}],${others}}`).events).to.deep.equal([long]);
      expect(parse(`{${others},"events":[${LONG}]}`).events)
        .to.have.length(1)
        .and.not.deep.equal([long]);
    });

    it('says how many events are too many', () => {
      const { message } = errorOf(() => parse(`{"events":[${'{},'.repeat(100_000)}{}]}`));
      expect(message).to.equal('A batch holds at most 3 events; this one has 100001.');
    });

    it('is no JSON where anything in it is none', () => {
      for (const body of [
        `{"events":[${LONG} 1]}`,
        `{"events":[${LONG},]}`,
        `{"events":[,${LONG}]}`,
        `{"events":[${LONG},,1]}`,
        `{"events":[${LONG},x]}`,
        `{"events":[${LONG},{"a":}]}`,
        `{"events":[${LONG}}}`,
        `{"events":[${LONG}]`,
        `{"events":[${LONG}]}}`,
        `{"events":[${LONG}],}`,
        `{x:1,"events":[${LONG}]}`,
        `{"events"[${LONG}]}`,
        LONG.slice(0, -1),
      ])
        expect(errorOf(() => parse(body).events).code, body.slice(0, 20) + body.slice(-20)).to.equal('bad_json');
      for (const body of [`[${LONG}]`, `{"events":[${LONG}],"events":1}`])
        expect(errorOf(() => parse(body)).code).to.equal('bad_request');
    });

    it('parses one event at a time, and says which is no JSON', () => {
      const events = parseBatch(bytes(`{"events":[${LONG},{"a":}]}`), 3).events[Symbol.iterator]();
      expect(events.next().value).to.deep.equal(long);
      const { code, message } = errorOf(() => events.next());
      expect(code).to.equal('bad_json');
      expect(message).to.match(/^events\[1\] is not valid JSON: unexpected token/);
    });

    it('is parsed whatever its bytes are', () => {
      const text = Buffer.concat([bytes('\ufeff{"a":"'), Buffer.from('\u20ac\u{1f600}x'.repeat(200_000)), bytes('"}')]);
      const broken = Buffer.concat([
        bytes('{"a":"'),
        Buffer.alloc(2 << 20, Buffer.from([0xff, 0xe2, 0x82])),
        bytes('"}'),
      ]);
      for (const body of [text, broken])
        expect(parseJson(body)).to.deep.equal(JSON.parse(new TextDecoder().decode(body)));
      expect(errorOf(() => parseJson(broken.subarray(0, -1))).code).to.equal('bad_json');
    });

    it('takes little longer where it is no JSON but full of what looks like ids', () => {
      const timeOf = (text: string): number => {
        const began = process.cpuUsage();
        expect(errorOf(() => parse(text)).code).to.equal('bad_json');
        const { user, system } = process.cpuUsage(began);
        return user + system;
      };
      const least = (unit: string): number => Math.min(...[1, 2, 3].map(() => timeOf(`{"${unit.repeat(170_000)}":1}`)));
      expect(least('"user_id":1234567890123456789,')).to.be.below(4 * least('"user-id":1234567890123456789,'));
    });

    it('says where the rest of a broken body is wrong, without its events', () => {
      const { message } = errorOf(() => parse(`{"events":[${LONG}]} x`));
      expect(message).to.match(/^The body without its events is not valid JSON: .* at position 14/);
    });
  });

  it('says what is wrong with the JSON without telling the body', () => {
    const messages = ['', ' \n', '{"secret":1,}', '{"a":tru}', '{"a":1', '"secret', '{"secret":"\u0001"}'].map((body) =>
      errorOf(() => parse(body)),
    );
    for (const { code, message } of messages) {
      expect(code).to.equal('bad_json');
      expect(message)
        .to.match(/^The body is (empty; it must be JSON|not valid JSON: \S.*)\.$/)
        .and.not.contain('secret');
    }
  });
});

describe('inflate', () => {
  const body = bytes(JSON.stringify({ events: Array.from({ length: 50 }, (_, i) => ({ event_type: 'e', i })) }));
  const packed = { gzip: gzipSync(body), deflate: deflateSync(body), br: brotliCompressSync(body) } as const;

  for (const encoding of ['gzip', 'deflate', 'br'] as const) {
    it(`reads ${encoding}`, () => {
      expect(Buffer.from(inflate(new Uint8Array(packed[encoding]), encoding, body.length)).equals(body)).to.equal(true);
    });

    it(`stops a bomb in ${encoding}`, () => {
      const zeros = Buffer.alloc(20_000_000);
      const bomb = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[encoding](zeros);
      expect(errorOf(() => inflate(new Uint8Array(bomb), encoding, 1_000_000)).code).to.equal('payload_too_large');
      expect(errorOf(() => inflate(new Uint8Array(packed[encoding]), encoding, body.length - 1)).code).to.equal(
        'payload_too_large',
      );
    });

    it(`refuses what follows ${encoding}, yet reads it of a body that was accepted`, () => {
      for (const more of encoding === 'gzip' ? [Buffer.alloc(3)] : [bytes('more'), Buffer.alloc(3), packed[encoding]]) {
        const whole = new Uint8Array(Buffer.concat([packed[encoding], more]));
        expect(errorOf(() => inflate(whole, encoding, body.length)).code).to.equal('bad_encoding');
        expect(Buffer.from(inflateAccepted(whole, encoding, body.length)).equals(body)).to.equal(true);
      }
    });

    it(`says that a body is no ${encoding}`, () => {
      const cut = new Uint8Array(packed[encoding]).slice(0, -10);
      for (const bad of [cut, bytes('{"events":[]}'), new Uint8Array(0)]) {
        expect(errorOf(() => inflate(bad, encoding, 1000)).code).to.equal('bad_encoding');
      }
    });
  }

  it('reads deflate without the zlib header too', () => {
    expect(Buffer.from(inflate(new Uint8Array(deflateRawSync(body)), 'deflate', 10_000)).equals(body)).to.equal(true);
  });

  it('bounds a body that is not compressed', () => {
    expect(inflate(body, 'identity', body.length)).to.equal(body);
    expect(errorOf(() => inflate(body, 'identity', body.length - 1)).code).to.equal('payload_too_large');
  });
});
