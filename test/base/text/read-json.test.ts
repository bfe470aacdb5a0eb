import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { hasFaultyKeys, readJson, readJsonWithDigits } from '../../../lib/base/text/read-json.ts';
import { readJson as readInClient } from '../../../sdk/client/read-json.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { runs } from '../../properties/settings.ts';

/** The text of a value, with escapes where `escape` says so; and for each object one whose keys make JSON.parse misread its own. */
class Spelling {
  readonly poison: string[] = [];
  readonly #escape: (character: string) => boolean;

  constructor(escape: (character: string) => boolean) {
    this.#escape = escape;
  }

  of(value: unknown): string {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    if (Array.isArray(value)) return `[ ${value.map((item) => this.of(item)).join(',')}]`;
    const keys = Object.keys(value).map((key) => ({ key, spelt: this.#text(key) }));
    const misread = keys.map(({ key, spelt }) => spelt.slice(1, 1 + key.length));
    this.poison.push(`{${misread.map((key) => `${JSON.stringify(key)}:0`).join(',')}}`);
    return `{${keys.map(({ key, spelt }) => `${spelt} :${this.of(Reflect.get(value, key))}`).join(', ')}}`;
  }

  #text(text: string): string {
    const escaped = Array.from(text, (character) =>
      this.#escape(character)
        ? Array.from({ length: character.length }, (_, i) => unicode(character, i)).join('')
        : character,
    );
    const needed = (character: string): boolean =>
      character.length === 1 && (character < ' ' || '"\\'.includes(character));
    return `"${escaped.map((character) => (needed(character) ? JSON.stringify(character).slice(1, -1) : character)).join('')}"`;
  }
}

const unicode = (character: string, at: number): string =>
  `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;

const key = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'a', 'caf\\', 'café', '\\u', '"', '7', ''),
  fc.string({ unit: anyCharacter, maxLength: 5 }),
);
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string({ unit: anyCharacter, maxLength: 5 }),
    fc
      .double({
        noNaN: true,
        noDefaultInfinity: true,
        min: -(2 ** 53),
        max: 2 ** 53,
        minExcluded: true,
        maxExcluded: true,
      })
      .map((number) => number + 0),
    fc.constantFrom(true, false, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  ),
}));

const readWithDigits = (text: string): unknown => readJsonWithDigits(text, BigInt);

/** As pages load it. */
const { readJson: readInPage }: { readJson: typeof readJson } = await import(
  pathToFileURL('public/console/read-json.js').href
);

/** Those that may use JSON.parse, and why. */
const PARSE = new Map([
  ['lib/base/text/read-json.ts', 'for texts in which no key has an escape'],
  ['public/console/read-json.js', 'likewise'],
  ['sdk/client/read-json.ts', 'likewise'],
  ['sdk/client/file-queue.ts', 'for lists of texts, without keys'],
  ['sdk/browser/own-json.ts', 'for what the script wrote of its own page, in 5,000 bytes'],
]);

describe('readJson', () => {
  it('is what reads JSON everywhere', () => {
    const found = ['lib', 'bin', 'sdk', 'console', 'public'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((name) => join(folder, name))
        .filter((file) => /\.(?:ts|js)$/.test(file) && !/\/(?:dist|node_modules)\//.test(file))
        .filter((file) =>
          /^(?![ /]*\*).*(?:JSON\.parse\b(?! of this Node)|\.json\(\)|\.json<)/m.test(readFileSync(file, 'utf8')),
        ),
    );
    expect(found.sort()).to.deep.equal([...PARSE.keys()].sort());
  });

  it('reads keys as they are spelled, whatever objects were read before', () => {
    const property = fc.property(anyValue, fc.infiniteStream(fc.boolean()), (value, escapes) => {
      const spelling = new Spelling(() => escapes.next().value === true);
      const text = spelling.of(value);
      for (const poison of spelling.poison) JSON.parse(poison);
      for (const read of [readJson, readWithDigits, readInClient, readInPage]) {
        expect(read(text)).to.deep.equal(value);
        expect(JSON.stringify(read(` ${text}\n`))).to.equal(JSON.stringify(value)); // in the same order
      }
    });
    fc.assert(property, { numRuns: runs(500) });
  });

  it('is tried with what JSON.parse misreads where this Node has the fault', () => {
    const spelling = new Spelling((character) => character > 'z');
    // Objects of other tests with the same first key would be read in its place.
    const text = spelling.of({ only_here: 0, 名前: 1 });
    for (const poison of spelling.poison) JSON.parse(poison);
    expect(Object.keys(JSON.parse(text))[1] !== '名前').to.equal(hasFaultyKeys());
    for (const read of [readJson, readInClient, readInPage])
      expect(Object.keys(Object(read(text)))).to.deep.equal(['only_here', '名前']);
  });

  it('takes what JSON.parse takes, and refuses what it refuses', () => {
    const texts = fc.array(
      fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '"\\u0061"', '"a"', '\\', '1', '-', '.5', 'e3', '01', ' ', 'true', 'nul', '\n', '\u00a0'),
      { maxLength: 12 },
    ); // prettier-ignore
    const property = fc.property(texts, (pieces) => {
      const text = `{"\\u006b":${pieces.join('')}}`;
      expect(outcome(readJson, text)).to.deep.equal(outcome(JSON.parse, text));
    });
    fc.assert(property, { numRuns: runs(2_000) });
  });

  it('reads what is nested very deeply, keys given twice and a text that is no JSON', () => {
    const deep = `{"\\u0061":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(Object.keys(Object(readJson(deep)))).to.deep.equal(['a']);
    expect(readJson('{"\\u0061":1,"b":2,"a":3}')).to.deep.equal({ a: 3, b: 2 });
    expect(() => readJson('{"\\u0061":1')).to.throw(SyntaxError, 'Unexpected end of JSON input');
    expect(() => readJson('{"\\u0061":1}}')).to.throw(SyntaxError, 'position 12');
  });

  it('reads a text in time that grows with its length', () => {
    for (const piece of ['"\\\\":1,', '"\\"', '\\', '"\\u0061":', '\\"  ', ' -99999999999999999x'])
      expect(() => readWithDigits(`{${piece.repeat(300_000)}`)).to.throw(SyntaxError);
  });
});

describe('readJsonWithDigits', () => {
  it('keeps the digits of whole numbers beyond 2^53, and no others', () => {
    const property = fc.property(fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }), (whole) => {
      const isSafe = Number.isSafeInteger(Number(whole));
      const expected = isSafe ? Number(whole) : whole;
      expect(readWithDigits(String(whole))).to.equal(expected);
      expect(readWithDigits(`[{"a":${whole}},${whole} ]`)).to.deep.equal([{ a: expected }, expected]);
      expect(readJson(`{"\\u0061":${whole}}`)).to.deep.equal({ a: Number(whole) });
    });
    fc.assert(property, { numRuns: runs(300) });
    expect(readWithDigits('[9007199254740991,9007199254740992,-9007199254740993]')).to.deep.equal([
      2 ** 53 - 1,
      2n ** 53n,
      -(2n ** 53n) - 1n,
    ]);
    const others = `[1e20,12345678901234567890.5,"12345678901234567890",9.9999999999999999,${'9'.repeat(400)}]`;
    expect(readWithDigits(others)).to.deep.equal(JSON.parse(others));
  });
});

function outcome(read: (text: string) => unknown, text: string): unknown {
  try {
    return { value: read(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return 'no JSON';
    throw error;
  }
}
