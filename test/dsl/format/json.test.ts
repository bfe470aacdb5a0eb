import { expect } from 'chai';
import fc from 'fast-check';
import { anyCharacter } from '../../support/any-character.ts';
import { formatAnswer } from '../../support/format-answer.ts';
import { answer, column, count, group } from './answers.ts';

function body(...args: Parameters<typeof answer>): string {
  return formatAnswer('json', answer(...args)).body;
}

describe('format json', () => {
  it('is an array of row objects, keys in the order of the columns', () => {
    const { body: text, contentType } = formatAnswer('json', answer([group, count], [['pro', 3], [null, 1]])); // prettier-ignore
    expect(text).to.equal('[{"event_properties.plan":"pro","count":3},{"event_properties.plan":null,"count":1}]');
    expect(contentType).to.equal('application/json; charset=utf-8');
  });

  it('keeps columns that are numbers in order, and __proto__', () => {
    const columns = [column('b', 'number', 'metric'), column('2', 'number', 'metric'), column('__proto__', 'json', 'value')]; // prettier-ignore
    expect(body(columns, [[1, 2, JSON.parse('{"__proto__": 5}')]])).to.equal(
      '[{"b":1,"2":2,"__proto__":{"__proto__":5}}]',
    );
  });

  it('does not round, and has null for what JSON cannot hold', () => {
    expect(body([count], [[0.1 + 0.2], [1e21], [-0], [NaN], [Infinity]])).to.equal(
      '[{"count":0.30000000000000004},{"count":1e+21},{"count":0},{"count":null},{"count":null}]',
    );
  });

  it('prints times in the zone, and keeps the types of json', () => {
    const columns = [column('time', 'time', 'value'), column('v', 'json', 'value')];
    const rows = [[Date.UTC(2026, 0, 31, 10), [1, 'a', null]], [null, true]]; // prettier-ignore
    expect(body(columns, rows, { zone: 'Asia/Kathmandu' })).to.equal(
      '[{"time":"2026-01-31T15:45:00.000+05:45","v":[1,"a",null]},{"time":null,"v":true}]',
    );
  });

  it('has a path as an array', () => {
    expect(body([column('path', 'json', 'group')], [[['a', null]]])).to.equal('[{"path":["a",null]}]');
  });

  it('is [] without rows', () => {
    expect(body([count], [])).to.equal('[]');
  });

  it('reads back as it was, whatever the texts', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (name, value) => {
        const [row] = JSON.parse(body([column(name, 'string', 'value')], [[value]]));
        expect(Object.entries(row)).to.deep.equal([[name, value]]);
      }),
    );
  });

  it('has the context around the rows when the envelope is asked for', () => {
    const whole = answer([group, count], [['pro', 3]], {
      table: { columns: [group, count], rows: [['pro', 3]], total: 7 },
      zone: 'Europe/Berlin',
      notes: ['One "note".'],
    });
    const text = formatAnswer('json', whole, { envelope: true }).body;
    expect(Object.keys(JSON.parse(text))).to.deep.equal([
      ...['columns', 'column_types', 'rows', 'total', 'range', 'rows_scanned', 'elapsed_ms', 'mode', 'notes'],
    ]);
    expect(JSON.parse(text)).to.deep.equal({
      columns: ['event_properties.plan', 'count'],
      column_types: [
        { name: 'event_properties.plan', type: 'string', role: 'group' },
        { name: 'count', type: 'number', role: 'metric' },
      ],
      rows: [{ 'event_properties.plan': 'pro', count: 3 }],
      total: 7,
      range: {
        from: '2026-01-01T01:00:00.000+01:00',
        to: '2026-02-01T01:00:00.000+01:00',
        timezone: 'Europe/Berlin',
      },
      rows_scanned: 1234,
      elapsed_ms: 12,
      mode: 'embedded',
      notes: ['One "note".'],
    });
  });
});
