import { expect } from 'chai';
import fc from 'fast-check';
import { lex } from '../../../lib/dsl/parse/lex.ts';

/** Tokens as text: words bare, strings in «», symbols as they are, `bad:` with its start. */
function tokens(query: string): string[] {
  return lex(query).map((token) => {
    switch (token.kind) {
      case 'word':
        return token.quoted === null ? token.text : `${token.text}«${token.quoted}»`;
      case 'string':
        return `«${token.value}»`;
      case 'symbol':
        return token.symbol;
      case 'bad':
        return `bad:${token.start}`;
      case 'end':
        return `end:${token.start}`;
    }
  });
}

describe('lex', () => {
  it('ends with the end of the query', () => {
    expect(tokens('')).to.deep.equal(['end:0']);
    expect(tokens(' # only a comment')).to.deep.equal(['end:17']);
  });

  it('takes letters and digits of any script, and _ - : . / $ in names', () => {
    expect(tokens('a_b-c:d.e/f$g 購入 événement खरीद 404 /pricing')).to.deep.equal([
      ...['a_b-c:d.e/f$g', '購入', 'événement', 'खरीद', '404', '/pricing'],
      'end:44',
    ]);
  });

  it('reads names beyond ASCII to the same end wherever they leave it', () => {
    const name = /-?[\p{L}\p{M}\p{N}_:./$](?:[\p{L}\p{M}\p{N}_:./$]|-(?!>))*/uy;
    const number = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\p{L}\p{M}\p{N}_])|[\p{L}\p{M}\p{N}_]+/uy;
    const text = fc.array(fc.constantFrom('a', '1', 'e', '-', '.', '_', '>', 'é', '\u0301', '購', '𝒳', '٣', '«'), {
      minLength: 1,
      maxLength: 8,
    });
    const first = (pattern: RegExp, query: string, from: number): string => {
      pattern.lastIndex = from;
      return pattern.exec(query)?.[0] ?? '';
    };
    fc.assert(
      fc.property(text, (characters) => {
        const query = characters.join('');
        const [word] = lex(query);
        const whole = first(name, query, 0);
        if (whole !== '' && !/^-\D/u.test(whole)) expect(word).to.include({ kind: 'word', text: whole });
        else expect(word?.kind).to.not.equal('word');
        const [, operand] = lex(`formula ${query}`);
        const short = first(number, `formula ${query}`, 8);
        if (short !== '') expect(operand).to.include({ kind: 'word', text: short });
        else expect(operand?.kind).to.not.equal('word');
      }),
    );
  });

  it('ends a name at ->', () => {
    expect(tokens('a->b-->c - ->')).to.deep.equal(['a', '->', 'b-', '->', 'c', 'bad:9']);
  });

  it('reads a leading - only before a digit', () => {
    expect(tokens('-5 -1.5e-3 a-5')).to.deep.equal(['-5', '-1.5e-3', 'a-5', 'end:14']);
    expect(tokens('-a')).to.deep.equal(['bad:0']);
  });

  it('joins an exponent and an offset of a time over their +', () => {
    expect(tokens('1e+5 2026-01-31T10:00+02:00 2026-01-31T10:00:00.123-05:30')).to.deep.equal([
      ...['1e+5', '2026-01-31T10:00+02:00', '2026-01-31T10:00:00.123-05:30'],
      'end:57',
    ]);
  });

  it('reads strings with their escapes, and raw newlines in them', () => {
    expect(tokens('"a \\"b\\" \\\\ \\n \\t \\u00e9\\ud83d\\ude00"')).to.deep.equal(['«a "b" \\ \n \t é😀»', 'end:37']);
    expect(tokens('"two\nlines" ""')).to.deep.equal(['«two\nlines»', '«»', 'end:14']);
  });

  it('marks another escape at its backslash and an open string at its start', () => {
    expect(tokens('x "a\\d"')).to.deep.equal(['x', 'bad:4']);
    expect(tokens('x "a\\u12"')).to.deep.equal(['x', 'bad:4']);
    expect(tokens('x "abc')).to.deep.equal(['x', 'bad:2']);
    expect(tokens('x "abc\\"')).to.deep.equal(['x', 'bad:2']);
    expect(tokens('x "abc\\')).to.deep.equal(['x', 'bad:6']);
  });

  it('takes the last part of a field in quotes', () => {
    expect(tokens('event_properties."key with space" a.b."c"')).to.deep.equal([
      'event_properties.«key with space»',
      'a.b.«c»',
      'end:41',
    ]);
    expect(tokens('a. "b"')).to.deep.equal(['a.', '«b»', 'end:6']);
  });

  it('skips white space and comments', () => {
    expect(tokens('a # | b\n\t| # "\r\nc#d')).to.deep.equal(['a', '|', 'c', 'end:19']);
    expect(tokens('"#" | a')).to.deep.equal(['«#»', '|', 'a', 'end:7']);
  });

  it('reads operators as long as they go', () => {
    expect(tokens('= != > >= < <= ~ !~ ( ) [ ] , | * ->')).to.deep.equal([
      ...['=', '!=', '>', '>=', '<', '<=', '~', '!~', '(', ')', '[', ']', ',', '|', '*', '->'],
      'end:36',
    ]);
  });

  it('marks what no token starts with', () => {
    for (const text of ["'", '&', ';', '!', '@', '%', '“', '+', '\\', '{', '🙂']) {
      expect(tokens(`a ${text}`), text).to.deep.equal(['a', 'bad:2']);
    }
  });

  describe('in a formula', () => {
    it('ends names at operators outside an operand', () => {
      expect(tokens('formula count(a-b)-count(c/d)/2*x-1')).to.deep.equal([
        ...['formula', 'count', '(', 'a-b', ')', '-', 'count', '(', 'c/d', ')', '/', '2', '*', 'x', '-', '1'],
        'end:35',
      ]);
    });

    it('keeps its mode in brackets that only group', () => {
      expect(tokens('Formula (count (a-b)-2)/(1-2)')).to.deep.equal([
        ...['Formula', '(', 'count', '(', 'a-b', ')', '-', '2', ')', '/', '(', '1', '-', '2', ')'],
        'end:29',
      ]);
    });

    it('reads numbers with fraction and exponent', () => {
      expect(tokens('formula 1.5e-3-2E+1-1e5')).to.deep.equal(['formula', '1.5e-3', '-', '2E+1', '-', '1e5', 'end:23']);
    });

    it('ends at |', () => {
      expect(tokens('formula count(a) | sort a-b')).to.deep.equal([
        ...['formula', 'count', '(', 'a', ')', '|', 'sort', 'a-b'],
        'end:27',
      ]);
    });

    it('only starts with the first word', () => {
      expect(tokens('a | formula b-c')).to.deep.equal(['a', '|', 'formula', 'b-c', 'end:15']);
    });
  });
});
