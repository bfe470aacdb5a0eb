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
    expect(lines.slice(0, 15)).to.deep.equal([
      'bind:',
      '  aggregate',
      '  zone: UTC',
      '  range: 2026-11-19T14:30:15.123Z to 2026-11-20T14:30:15.123Z',
      '  where: event_type = "signup" and user."a b" = 1',
      '  order: {"kind":"default"}',
      '  offset: 0',
      '  limit: none',
      '  page: {"limit":100,"offset":0}',
      '  event: *',
      '  person: none',
      '  groups: day (bucket)',
      '  metrics: count, sum user.x as sum',
      'flatten-conditions: no change',
      'push-event-type:',
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
    expect(line('formula count(a)', 'bucket')).to.equal('bucket: none');
    expect(line('formula count(a)', 'operands')).to.equal('operands: count(a) of "a"');
    expect(line('paths from a | by _path', 'label')).to.equal('label: _path');
    expect(line('retention a returning b', 'returning')).to.equal('returning: "b"');
    expect(line('choice k | results *', 'conversion')).to.equal('conversion: *');
    expect(line('* | latest user.x | where set_at > "2026-01-01" or entity in ("a", 1)', 'having')).to.equal(
      'having: set_at > "2026-01-01T00:00:00.000Z" or entity in ("a", 1)',
    );
    expect(line('sessions | where not (session.city contains "x" or session.city ~ "y")', 'having')).to.equal(
      'having: not (session.city contains "x" or session.city ~ "y")',
    );
    for (const query of ['users', 'fields', 'inspect', 'lifecycle a', 'stickiness a', 'user "u"']) {
      expect(printPlan(planOf(query))[0]).to.equal(planOf(query).kind);
    }
  });
});
