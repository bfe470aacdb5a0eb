import { expect } from 'chai';
import { Turns } from '../../lib/base/turns.ts';
import type { Tenant } from '../../lib/base/project.ts';

const tenant = (orgId: string, id: string, weight = 1): Tenant => ({ id, orgId, weight });
const A = tenant('org_a', 'prj_a');
const B = tenant('org_b', 'prj_b');
const C = tenant('org_c', 'prj_c');

function drain(queue: Turns<string>): string[] {
  const items: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

describe('Turns', () => {
  it('lets organizations take turns, first come first served within a project', () => {
    const queue = new Turns<string>();
    for (const item of ['a1', 'a2', 'a3']) queue.push(A, item);
    for (const item of ['b1', 'b2']) queue.push(B, item);
    queue.push(C, 'c1');
    expect(queue.size).to.equal(6);
    expect(drain(queue)).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(queue.size).to.equal(0);
  });

  it('gives an organization of 30 projects no more turns than one of a single project, and its projects turns within', () => {
    const queue = new Turns<string>();
    for (let project = 0; project < 30; project++)
      for (let n = 0; n < 10; n++) queue.push(tenant('org_many', `prj_${project}`), `many ${project}`);
    for (let n = 0; n < 10; n++) queue.push(B, 'one');
    const first = drain(queue).slice(0, 20);
    expect(first.filter((item) => item === 'one')).to.have.length(10);
    expect(new Set(first.filter((item) => item !== 'one')).size).to.equal(10);
  });

  it('gives shares by weight', () => {
    const queue = new Turns<string>();
    for (let n = 0; n < 100; n++) queue.push(tenant('org_host', 'prj_host', 4), 'host');
    for (let n = 0; n < 100; n++) queue.push(B, 'other');
    expect(drain(queue).slice(0, 50).filter((item) => item === 'host')).to.have.length(40); // prettier-ignore
  });

  it('shares work, not items, whether its cost is known before or told after', () => {
    const queue = new Turns<string>();
    for (let n = 0; n < 4; n++) queue.push(A, `large ${n}`, 100);
    for (let n = 0; n < 4; n++) queue.push(B, `small ${n}`, 1);
    expect(drain(queue).slice(0, 5)).to.deep.equal(['large 0', 'small 0', 'small 1', 'small 2', 'small 3']);
    for (let n = 0; n < 3; n++) queue.push(A, 'large', 0);
    for (let n = 0; n < 3; n++) queue.push(B, 'small', 0);
    const order: string[] = [];
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      order.push(item);
      queue.charge(item === 'large' ? A : B, item === 'large' ? 100 : 1);
    }
    expect(order).to.deep.equal(['small', 'small', 'small', 'large', 'large', 'large']);
  });

  it('lets who comes after a pause begin where the others are', () => {
    const queue = new Turns<string>();
    for (let n = 0; n < 50; n++) queue.push(A, 'a');
    for (let n = 0; n < 20; n++) queue.shift();
    for (let n = 0; n < 5; n++) queue.push(B, 'b');
    const next = drain(queue).slice(0, 10);
    expect(next.filter((item) => item === 'b')).to.have.length(5);
    expect(next.slice(0, 4).filter((item) => item === 'b')).to.have.length(2);
  });

  it('takes an item out wherever it stands', () => {
    const queue = new Turns<string>();
    for (const item of ['a1', 'a2', 'a3']) queue.push(A, item);
    queue.push(B, 'b1');
    expect([queue.remove('a2'), queue.remove('b1'), queue.remove('b1')]).to.deep.equal([true, true, false]);
    expect(queue.size).to.equal(2);
    expect(drain(queue)).to.deep.equal(['a1', 'a3']);
  });
});
