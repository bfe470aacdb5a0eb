import { expect } from 'chai';
import { Ledger } from '../../lib/base/ledger.ts';
import type { Tenant } from '../../lib/base/project.ts';

const tenant = (orgId: string, id: string, weight = 1): Tenant => ({ id, orgId, weight });

/** Takes a few bytes at a time until the tenant is refused; returns the sum. */
function fill(shares: Ledger, who: Tenant): number {
  let taken = 0;
  while (shares.take(who, 10)) taken += 10;
  return taken;
}

describe('Ledger', () => {
  it('leaves something for whoever comes next, however many projects hold all they may', () => {
    const shares = new Ledger(12_000);
    const flood = Array.from({ length: 30 }, (_, n) => fill(shares, tenant('org_a', `prj_${n}`)));
    expect(flood[0]).to.be.within(3_900, 4_000); // half of what is left free
    expect(flood.reduce((sum, bytes) => sum + bytes, 0)).to.be.at.most(6_300);
    expect(fill(shares, tenant('org_b', 'prj_b'))).to.be.above(1_500);
    expect(fill(shares, tenant('org_c', 'prj_c'))).to.be.above(800);
    expect(shares.total).to.be.below(12_000);
  });

  it('gives a heavier organization more, and takes one body of any size where nothing is held', () => {
    const shares = new Ledger(1_000);
    expect(fill(shares, tenant('org_a', 'prj_a', 4))).to.be.above(600);
    const alone = new Ledger(1_000);
    expect(alone.take(tenant('org_a', 'prj_a'), 5_000)).to.equal(true);
    expect(alone.take(tenant('org_b', 'prj_b'), 1)).to.equal(false);
    alone.give(tenant('org_a', 'prj_a'), 5_000);
    expect([alone.total, alone.take(tenant('org_b', 'prj_b'), 1_000)]).to.deep.equal([0, true]);
  });
});
