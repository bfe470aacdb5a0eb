import { expect } from 'chai';
import fc from 'fast-check';
import { listQuestion, type ListQuestion } from '../../../lib/clickhouse/questions/list.ts';
import { lower } from '../../../lib/clickhouse/questions/lower.ts';
import { notedUses, scannedRows, unseen } from '../../../lib/clickhouse/questions/observe.ts';
import { print, type Printed, type Sql } from '../../../lib/clickhouse/sql/statement.ts';
import { NO_SLOTS } from '../../../lib/clickhouse/hot/slots.ts';
import { compileQuery } from '../../../../lib/dsl/compile.ts';
import { quote } from '../../../../lib/dsl/parse/lex-string.ts';
import { anyCharacter } from '../../../../test/support/any-character.ts';

/** The statements of a query of this project. */
function statementsOf(id: string, q: string): Printed[] {
  const context = {
    now: Date.UTC(2026, 2, 1),
    timezone: { project: 'Europe/Berlin' },
    limit: 100,
    offset: 0,
    earliest: 0,
  };
  const { plan } = compileQuery(q, context);
  const project = { id, slots: NO_SLOTS };
  const asked = plan.kind === 'list' ? ofList(listQuestion(project, plan)) : [lower(project, plan).sql];
  const looked = unseen(project, plan, notedUses(plan));
  return [...asked, scannedRows(project, plan), ...(looked === null ? [] : [looked.sql])].map(print);
}

const ofList = ({ page, count }: ListQuestion): Sql[] => [page.sql, ...(count === null ? [] : [count])];

/** A query of each source that puts this text wherever a tenant's text may stand. */
const QUERIES: readonly ((text: string) => string)[] = [
  (text) => `${quote(text)} | where event_properties.${quote(text)} = ${quote(text)} | count by event_properties.${quote(text)}, day`,
  (text) => `* | where _url contains ${quote(text)} or user.${quote(text)} > ${quote(text)} | unique user_id, mode user_properties.${quote(text)}`,
  (text) => `* | where distinct_id in (${quote(text)}, ${quote(`${text}!`)}, null) | list`,
  (text) => `user ${quote(text)} | where not user.email ~ ${quote(text.replaceAll(/[^a-z]/g, '.'))} | latest event_properties.${quote(text)}`,
  (text) => `users | where user.${quote(text)} exists | sum user.${quote(text)} by user.email_domain`,
  (text) => `* | where session.utm_source = ${quote(text)} or user_last_session.landing_path = ${quote(text)} | count by session.language`,
  (text) => `sessions | where event_type != ${quote(text)} | where session.first_event = ${quote(text)} | count by event_properties.${quote(text)}`,
  (text) => `funnel ${quote(text)} -> *[event_properties.${quote(text)} = ${quote(text)}] -> ${quote(text)} exclude ${quote(`${text}!`)} | window 2 mo | by user.${quote(text)}`,
  (text) => `retention ${quote(text)} returning ${quote(`${text}!`)} | by day, event_properties.${quote(text)}`,
  (text) => `paths to ${quote(text)} | by event_properties.${quote(text)} | window 1 mo`,
  (text) => `lifecycle ${quote(text)} | where event_properties.${quote(text)} exists`,
  (text) => `stickiness ${quote(text)} | where user_id = ${quote(text)}`,
  (text) => `choice ${quote(text)} | results ${quote(text)} | unit event_properties.${quote(text)}`,
  (text) => `formula count(${quote(text)}) / p95(${quote(text)}, event_properties.${quote(text)}) | by week`,
  (text) => `formula unique(*, user.${quote(text)}) - sum(${quote(text)}, user_properties.${quote(text)}) | where event_properties.a.b.c.${quote(text)} exists`,
  (text) => `* | where event_properties.a.${quote(text)} > 1 or user.a.b.${quote(text)} < ${quote(text)} | max event_properties.a.${quote(text)}, p50 user.a.b.${quote(text)}`,
  (text) => `choice ${quote(text)} | where variant_key = ${quote(text)} and choice_key != ${quote(`${text}!`)} | count by variant_key, event_properties.${quote(text)}`,
  (text) => `* | latest user_properties.${quote(text)} per event_properties.a.${quote(text)} | where last_value contains ${quote(text)} | count by entity`,
  (text) => `${quote(text)} | list | where event_properties.${quote(text)} not in (${quote(text)}, 1, true) | sort event_properties`,
  (text) => `inspect ${quote(text)} | where event_properties.a.b.${quote(text)} !~ ${quote(text.replaceAll(/[^a-z]/g, '.'))}`,
  (text) => `fields | where session.landing_path = ${quote(text)} or time > 5 or _browser = ${quote(text)}`,
]; // prettier-ignore

describe('a plan in SQL', () => {
  it('has no text of a tenant in it: whatever the text, the statement is the same', () => {
    const word = fc.string({ unit: anyCharacter, maxLength: 20 }).map((text) => `zq${text.replaceAll('.', '')}`);
    fc.assert(
      fc.property(word, fc.constantFrom(...QUERIES), (text, query) => {
        const hostile = statementsOf(text, query(text));
        const plain = statementsOf('zqword', query('zqword'));
        expect(hostile.map(({ sql }) => sql)).to.deep.equal(plain.map(({ sql }) => sql));
        for (const { sql } of hostile) expect(sql).not.to.include('zq');
      }),
    );
  });

  it('compares times with numbers that are no times', () => {
    for (const figure of ['0.5', '9007199254740993', '-1e308'])
      for (const sign of ['>', '<='])
        expect(() => statementsOf('zqa', `* | where time ${sign} ${figure}`)).not.to.throw();
  });

  it('tells a least time of no rows from 1970', () => {
    const [printed] = statementsOf('zqa', '* | latest event_type | min set_at, max set_at');
    expect(printed?.sql).to.include('minOrNull(').and.to.include('maxOrNull(');
  });

  it('has few offsets of a zone, however far ahead the range goes', () => {
    const printed = statementsOf(
      'zqa',
      '* | from 0001-01-01 to 9999-12-31 | min time, max session.start_time, mode time',
    );
    for (const { sql } of printed) expect(sql.length).to.be.below(300_000);
  });

  it('has no name of a zone in it, which comes with a request', () => {
    for (const zone of ['America/Argentina/Buenos_Aires', 'europe/berlin', 'Asia/Kathmandu'])
      for (const q of [
        '* | count by hour',
        'lifecycle * | by day',
        '* | where time contains "2026" | count by time, month',
        'sessions | by week',
      ])
        for (const { sql, params } of statementsOf('prj_1', `${q} | tz "${zone}" | this year`))
          expect(sql + JSON.stringify(params), q).not.to.match(/argentina|berlin|kathmandu/i);
  });

  it('is made for a range in which nothing can be, too', () => {
    const now = Date.UTC(2026, 2, 1);
    for (const q of [
      'lifecycle *',
      'retention *',
      'stickiness *',
      'sessions',
      '* | count by hour',
      'formula count(*) | by day',
    ]) {
      const context = { now, timezone: { project: 'UTC' }, limit: 100, offset: 0, earliest: now + 1_000 };
      const { plan } = compileQuery(`${q} | all`, context);
      expect(plan.range).to.include({ from: now, to: now });
      if (plan.kind === 'list') throw new Error('no list is asked for');
      expect(lower({ id: 'prj_1', slots: NO_SLOTS }, plan)).to.have.property('sql');
    }
  });

  it('reads like the definition', () => {
    const [{ sql, params } = { sql: '', params: {} }] = statementsOf('prj_1', 'purchase | from 2026-02-01 to 2026-02-03 tz "UTC" | sum event_properties.amount, unique by day'.replace(' tz', ' | tz')); // prettier-ignore
    expect(sql).to.match(/^SELECT \(0 \+ intDiv\(time - 1769904000000, 86400000\)\) AS g0, sumKahanOrNull\(/);
    expect(sql).to.include('uniqExactIf(person_key, person_key != 0) FROM (SELECT *, if(bound_person != 0, bound_person, sender) AS person_key'); // prettier-ignore
    expect(sql).to.include('WHERE (project = {p2:String} AND time >= 1769904000000 AND time < 1770076800000 AND event_type = {p3:String})'); // prettier-ignore
    expect(sql).to.match(/ GROUP BY g0$/);
    expect(params).to.deep.equal({ p1: 'amount', p2: 'prj_1', p3: 'purchase' });
  });
});
