import { expect } from 'chai';
import { compileQuery } from '../../lib/dsl/compile.ts';
import { explain } from '../../lib/dsl/explain.ts';
import { PASSES } from '../../lib/dsl/optimize/optimize.ts';
import { printPlan } from '../../lib/dsl/hints/print-plan.ts';
import { CONTEXT, planOf } from './queries.ts';

describe('explain', () => {
  it('shows the plan after binding and after each pass that changed it', () => {
    const q = '* | where event_type = "signup" and user."a b" = 1 | count, sum user.x by day | last 1d';
    const lines = explain(compileQuery(q, CONTEXT)).passes.flatMap(({ name, changed, plan }) =>
      changed ? [`${name}:`, ...plan.map((line) => `  ${line}`)] : [`${name}: no change`],
    );
    expect(lines.slice(0, 17)).to.deep.equal([
      'bind:',
      '  aggregate',
      '  zone: UTC',
      '  range: 2026-11-19T14:30:15.123Z to 2026-11-20T14:30:15.123Z',
      '  now: 2026-11-20T14:30:15.123Z',
      '  where: event_type = "signup" and user."a b" = 1',
      '  tableStages: none',
      '  order: {"kind":"default"}',
      '  offset: 0',
      '  limit: none',
      '  page: {"limit":100,"offset":0}',
      '  event: *',
      '  person: none',
      '  groups: day (bucket)',
      '  metrics: count, sum user.x as sum',
      'push-having: no change',
      'flatten-conditions: no change',
    ]);
    expect(lines.join('\n')).to.include('where: user."a b" = 1').and.include('event: "signup"');
  });

  it('is plain data with the tree, the passes and the plan that runs', () => {
    const compiled = compileQuery('funnel a -> b', CONTEXT);
    const explained = explain(compiled);
    expect(explained.passes.map(({ name }) => name)).to.deep.equal(['bind', ...PASSES.map(({ name }) => name)]);
    expect(explained.plan).to.equal(compiled.plan);
    expect(JSON.parse(JSON.stringify(explained))).to.deep.equal(explained);
  });

  it('prints plans of every kind', () => {
    const line = (query: string, key: string): string | undefined =>
      printPlan(planOf(query)).find((text) => text.startsWith(`${key}: `));
    expect(line('funnel a[user.x > 1] -> *', 'steps')).to.equal('steps: "a"[user.x > 1] -> *');
    expect(line('formula -count(a) / (2 + p9(*, time)) | by day', 'expression')).to.equal(
      'expression: (-count(a) / (2 + p9(*, time)))',
    );
    expect(line('formula count(a)', 'groups')).to.equal('groups: none');
    expect(line('formula count(a)', 'operands')).to.equal('operands: count(a) of "a"');
    expect(line('formula count(a[user.x > 1]) by day, user.y', 'operands')).to.equal(
      'operands: count(a[user.x > 1]) of "a"[user.x > 1]',
    );
    expect(line('* | sum (user.x * 2)[user."a b" = 1] as y, p90 of count per user_id', 'metrics')).to.equal(
      'metrics: sum (user.x * 2)[user."a b" = 1] as y, p90 of count per user_id',
    );
    expect(line('* | where did(a) and not did(b[user.x > 1]) >= 2 in last 9d', 'where')).to.equal(
      'where: did("a") in the range >= 1 and not did("b"[user.x > 1]) in last 9d >= 2',
    );
    expect(line('* | where did(*) = 0 within 1mo of a or did(a) in since 2026-11-01', 'where')).to.equal(
      'where: did(*) within 1mo of "a" = 0 or did("a") in 2026-11-01T00:00:00.000Z to 2026-11-20T14:30:15.123Z >= 1',
    );
    expect(line('paths from a | by _path', 'label')).to.equal('label: _path');
    expect(line('retention a returning b', 'returning')).to.equal('returning: "b"');
    expect(line('choice k | results *', 'conversion')).to.equal('conversion: *');
    expect(line('attribution a | by session.utm_source', 'conversion')).to.equal('conversion: "a"');
    expect(line('attribution a | by session.utm_source', 'groups')).to.equal('groups: session.utm_source');
    expect(line('attribution a | by _path | model first', 'model')).to.equal('model: "first"');
    expect(line('* | latest user.x | where set_at > "2026-01-01" or entity in ("a", 1)', 'whereRows')).to.equal(
      'whereRows: set_at > "2026-01-01T00:00:00.000Z" or entity in ("a", 1)',
    );
    expect(line('sessions | where not (session.city contains "x" or session.city ~ "y")', 'whereRows')).to.equal(
      'whereRows: not (session.city contains "x" or session.city ~ "y")',
    );
    for (const query of ['users', 'fields', 'inspect', 'lifecycle a', 'stickiness a', 'user "u"']) {
      expect(printPlan(planOf(query))[0]).to.equal(planOf(query).kind);
    }
  });
});
