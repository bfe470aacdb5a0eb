import { expect } from 'chai';
import { newWorld, openControl } from '../open-control.ts';

const LONG = 60_000; // milliseconds

describe('turns to add events to a project', () => {
  it('are had by one node at a time, and number what is added without gaps or repetition', async () => {
    const { control, folder, clock } = await newWorld();
    const nodes = [control, await openControl(folder, clock)].map(({ ingestTurns }) => ingestTurns);
    expect(await nodes[0]!.take('prj_a', { holder: 'x', count: 1, lease: LONG })).to.equal('unknown');
    await Promise.all(nodes.map((node) => node.begin('prj_a', 7)));
    const taken = await Promise.all(
      nodes.map((node, at) => node.take('prj_a', { holder: `n${at}`, count: 10, lease: LONG })),
    );
    expect(taken).to.have.members([7, 'held']);
    const winner = taken.indexOf(7);
    await nodes[1 - winner]!.give('prj_a', `n${1 - winner}`);
    expect(await nodes[0]!.take('prj_a', { holder: 'x', count: 1, lease: LONG }), 'given by another').to.equal('held');
    await nodes[winner]!.give('prj_a', `n${winner}`);
    expect(await nodes[1]!.take('prj_a', { holder: 'y', count: 2, lease: LONG })).to.equal(17);
    expect(await nodes[0]!.take('prj_b', { holder: 'z', count: 2, lease: LONG }), 'of another project').to.equal(
      'unknown',
    );
  });

  it('end when their time is over, unless they were renewed', async () => {
    const { ingestTurns: turns } = (await newWorld()).control;
    await turns.begin('prj_a', 1);
    expect(await turns.take('prj_a', { holder: 'x', count: 1, lease: 1 })).to.equal(1);
    const next = { holder: 'y', count: 1, lease: 1 };
    let taken = await turns.take('prj_a', next);
    while (taken === 'held') taken = await turns.take('prj_a', next);
    expect(taken).to.equal(2);
    expect(await turns.renew('prj_a', { holder: 'x', lease: LONG }), 'what is over').to.equal(false);
    expect(await turns.renew('prj_a', { holder: 'y', lease: LONG })).to.equal(true);
    await new Promise((resolve) => setTimeout(resolve, 5)); // longer than its first time
    expect(await turns.take('prj_a', { ...next, holder: 'z' })).to.equal('held');
  });
});
