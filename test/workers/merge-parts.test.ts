import { expect } from 'chai';
import { mergesHere } from '../../lib/workers/merge-parts.ts';
import { planOf } from '../dsl/queries.ts';

describe('merging parts of a query', () => {
  const isHere = (q: string, bytes = 100): boolean => mergesHere(planOf(q), [], bytes);

  it('happens where requests are served if there is little to do', () => {
    expect(isHere('* | count by day')).to.equal(true);
    expect(isHere('* | count by day', 1 << 20)).to.equal(false);
  });

  it('happens in a thread where a regular expression may run over what is merged', () => {
    expect(isHere('* | latest _os | where last_value ~ "x"')).to.equal(false);
    expect(isHere('* | where not (_os = "x" or _os !~ "x") | count')).to.equal(false);
    expect(isHere('sessions | where session.country ~ "x"')).to.equal(false);
    expect(isHere('funnel a[_os ~ "x"] -> b')).to.equal(false);
    expect(isHere('* | latest _os | where last_value contains "x"')).to.equal(true);
  });

  it('happens in a thread where the buckets are those of more than two years', () => {
    expect(isHere('* | count by week | from 1800-01-01 to 2600-01-01')).to.equal(false);
    expect(isHere('* | count | from 1800-01-01 to 2600-01-01')).to.equal(true);
    expect(isHere('* | count by hour | last 2y')).to.equal(true);
  });
});
