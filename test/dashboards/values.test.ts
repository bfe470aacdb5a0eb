import { assert } from 'chai';
import fc from 'fast-check';
import { checkDashboard } from '../../lib/dashboards/check.ts';
import type { Dashboard, Values } from '../../lib/dashboards/dashboard.ts';
import { expandQuery } from '../../lib/dashboards/expand.ts';
import { rangeStage, defaultValues, readValues } from '../../lib/dashboards/values.ts';
import { parse } from '../../lib/dsl/parse/parse.ts';
import { anyCharacter } from '../support/any-character.ts';
import { dashboardOf, SAMPLE } from './dashboard-files.ts';

const VARIABLES = `
  - {name: event, kind: select, default: signup, query: inspect *}
  - {name: text, kind: input, default: a, maxLength: 500}
  - {name: number, kind: input, type: number, default: 1}
  - {name: plan, kind: select, any: Any, query: '* | count by user.plan', fragment: 'where user.plan = {{value}} or user.plan = "x"'}
  - {name: key, kind: input, default: k}
  - {name: time, kind: range}
`;
const QUERY =
  '{{event}} | where _os contains {{text}} or event_properties.{{key}} > {{number}} and not _os in ({{text}}, "b") | {{plan}} | {{time}} | count by day';

describe('values of variables', () => {
  const dashboard = checked(dashboardOf(`  - {kind: table, query: '${QUERY}'}`, VARIABLES));

  it('never change the parsed shape of a query', () => {
    const shape = shapeOf(dashboard, defaultValues(dashboard));
    const piece = fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom('"', '\\', '"\\', '\n', '#', '| list', '{{text}}', '" | all | where _os = "', '\\u0022', ')', '*'));
    const text = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')).filter((one) => one.trim() !== '');
    const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()).map(String);
    fc.assert(
      fc.property(fc.record({ event: text, text, key: text, plan: text, number }, { requiredKeys: [] }), (given) => {
        const { values } = readValues(dashboard, given);
        assert.deepEqual(shapeOf(dashboard, { ...values, plan: values['plan'] === '' ? 'p' : (values['plan'] ?? '') }), shape);
      }),
      { numRuns: 100 },
    );
  }); // prettier-ignore

  it('are printed as the language writes them', () => {
    assert.equal(
      firstQuery(dashboard, { event: 'a "b"', text: 'x\ny', number: '-1.50', key: 'k.l', plan: 'pro', time: '2026-01-01..2026-01-31' }),
      '"a \\"b\\"" | where _os contains "x\\ny" or event_properties."k.l" > -1.5 and not _os in ("x\\ny", "b") | where user.plan = "pro" or user.plan = "x" | from "2026-01-01" to "2026-02-01" | count by day',
    );
  }); // prettier-ignore

  it('that are none leave the whole stage out', () => {
    assert.notInclude(firstQuery(dashboard, {}), 'user.plan');
    assert.notMatch(firstQuery(dashboard, {}), /\|\s*\|/);
  });

  it('that are wrong or unknown are named, and the defaults stay', () => {
    const { values, problems } = readValues(checked(SAMPLE), { time: 'ever', bucket: 'weak', least: '-1', email: 'a', contry: 'x', country: 'DE' });
    assert.deepEqual(values, { time: 'last 30d', country: 'DE', bucket: 'day', least: '10', email: '' });
    assert.deepEqual(problems, [
      'time: "ever" is not a range like last 30d, this month, or 2026-01-01..2026-01-31',
      'bucket: there is no option "weak"; did you mean "week"?',
      'least: it must be at least 0',
      'email: "a" is no e-mail address',
      'there is no variable "contry"; did you mean "country"?',
    ]);
  }); // prettier-ignore

  it('of time are one stage of the language, or none at all', () => {
    const piece = fc.constantFrom('last ', 'last', '7', 'd', ' days', 'this ', 'month', 'today', 'all', '2026-01-01', '..', 'T10:00', ' | list', '"', 'mo', '\n', ' ');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')), (value) => {
        const stage = rangeStage(value);
        if (stage !== null) assert.deepEqual(parse(`* | ${stage}`).stages.map(({ kind }) => kind), ['range']);
      }),
      { numRuns: 2_000, examples: [['last 7d'], ['this month'], ['today'], ['2026-01-01..2026-01-01'], ['2026-01-01T10:00..2026-01-01']] },
    );
  }); // prettier-ignore

  it('of time are stages of the language, and days that exist', () => {
    assert.equal(rangeStage('last 7 days'), 'last 7 days');
    assert.equal(rangeStage('2024-02-28..2024-02-29'), 'from "2024-02-28" to "2024-03-01"');
    assert.equal(rangeStage('2026-01-01T10:00..2026-01-01T12:30'), 'from "2026-01-01T10:00" to "2026-01-01T12:30"');
    for (const wrong of [
      '',
      'last 0d',
      'last 7d | list',
      '2026-02-30..2026-03-01',
      '2026-02-02..2026-02-01',
      '2026-01-01',
    ]) {
      assert.isNull(rangeStage(wrong), wrong);
    }
  });
});

function checked(text: string): Dashboard {
  const { dashboard, problems } = checkDashboard(text);
  if (dashboard === null) throw new Error(JSON.stringify(problems));
  return dashboard;
}

function firstQuery(dashboard: Dashboard, given: Values): string {
  const template = dashboard.sections[0]?.cards[0]?.queries[0]?.template ?? [];
  return expandQuery(dashboard.variables, template, { ...defaultValues(dashboard), ...given }).text;
}

/** The tree without positions and anything from values. */
function shapeOf(dashboard: Dashboard, values: Values): unknown {
  const dropped = new Set(['start', 'end', 'at', 'operators', 'value', 'digits', 'text', 'name']);
  return JSON.parse(
    JSON.stringify(parse(firstQuery(dashboard, { ...values, plan: values['plan'] === '' ? 'p' : (values['plan'] ?? '') })), (key, value: unknown) =>
      dropped.has(key) ? undefined : value,
    ),
  );
} // prettier-ignore
