import { expect } from 'chai';
import fc from 'fast-check';
import { AppError } from '../../lib/base/errors.ts';
import { anyCharacter } from '../support/any-character.ts';
import { compile } from '../support/compile.ts';
import { query } from './queries.ts';
import { runs, replay } from './settings.ts';
import { NOW } from './worlds.ts';

const WORDS = [
  '|', '|', '|', ',', '(', ')', '[', ']', '->', '=', '!=', '!~', '~', '>', '<=', '-', '+', '*', '/', '#', '"', '\\', '\n', '\t',
  'funnel', 'retention', 'paths', 'from', 'to', 'exclude', 'returning', 'any', 'sessions', 'lifecycle', 'stickiness', 'user',
  'users', 'fields', 'inspect', 'formula', 'choice', 'where', 'last', 'today', 'this', 'week', 'count', 'unique', 'sum', 'p99',
  'p0', 'by', 'day', 'list', 'latest', 'per', 'sort', 'asc', 'top', 'limit', 'offset', 'window', 'depth', 'tz', 'results',
  'unit', 'did', 'did(', 'within', 'all', 'and', 'or', 'not', 'in', 'exists', 'contains', 'true', 'null', '7', '1e999', '-3', '7d', '2026-03-01', '2026-02-30',
  '"2026-03-01"', '"x"', 'time', 'event_properties.x', 'event_properties."a b"', 'user.plan', 'plan', '_browsr', 'é', '😀',
  '\ud800', '\u0000', 'count(a)', '"UTC"', '"a("',
] as const; // prettier-ignore

const soup = fc.array(fc.constantFrom(...WORDS), { maxLength: 14, size: 'max' }).map((words) => words.join(' '));

/** A valid query with some of its characters removed or replaced. */
const damaged = fc.tuple(query, fc.nat(), fc.nat({ max: 6 }), fc.constantFrom(...WORDS, '')).map(([text, at, length, word]) => {
  const place = text === '' ? 0 : at % text.length;
  return text.slice(0, place) + word + text.slice(place + length);
}); // prettier-ignore

/** The user error of a text, with its position; undefined if it compiles. */
function mistakeOf(text: string): AppError | undefined {
  try {
    compile(text, { now: NOW, timezone: null, limit: 100, offset: 0 }, []);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

describe('any text as a query', () => {
  for (const [name, texts] of [
    ['words in any order', soup],
    ['right queries, damaged', damaged],
    ['any characters', fc.string({ unit: anyCharacter, maxLength: 60 })],
  ] as const) {
    it(`compiles, or is a mistake with its line and caret: ${name}`, function () {
      this.timeout(24 * 3600_000);
      fc.assert(
        fc.property(texts, (text) => {
          const mistake = mistakeOf(text);
          if (mistake === undefined) return;
          const { code, position = -1, message } = mistake.data;
          expect(code).to.equal('bad_query');
          expect(position).to.be.within(0, text.length);
          const start = text.lastIndexOf('\n', position - 1) + 1;
          const line = text.slice(start).split('\n', 1)[0] ?? '';
          expect(message).to.contain(`\n${line.replace(/\r$/, '')}\n`);
          expect(message).to.match(/\n[ \t]*\^$/);
        }),
        { numRuns: runs(400), ...replay() },
      );
    });
  }
});
