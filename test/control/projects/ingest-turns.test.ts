import { expect } from 'chai';
import type { IngestTurns } from '../../../lib/control/projects/ingest-turns.ts';
import { newWorld, openControl } from '../open-control.ts';

const LONG = 60_000; // milliseconds

/** Of a run of the same name. */
const turn = (run: string, count: number, lease = LONG, n = 0) => {
  return { holder: `${run}/${n}`, ofRun: `${run}/`, over: null, count, lease };
};

describe('turns to add events to a project', () => {
  it('are had by one node at a time, and number what is added without gaps or repetition', async () => {
    const { control, folder, clock } = await newWorld();
    const nodes = [control, await openControl(folder, clock)].map(({ ingestTurns }) => ingestTurns);
    expect(await nodes[0]!.take('prj_a', turn('x', 1))).to.equal('unknown');
    await Promise.all(nodes.map((node) => node.begin('prj_a', 7)));
    const taken = await Promise.all(nodes.map((node, at) => node.take('prj_a', turn(`n${at}`, 10))));
    expect(taken).to.include(7);
    const winner = taken.indexOf(7);
    expect(taken[1 - winner]).to.include({ holder: `n${winner}/0`, isOver: false });
    await nodes[1 - winner]!.give('prj_a', `n${1 - winner}/0`);
    expect(await nodes[0]!.take('prj_a', turn('x', 1)), 'given by another').to.include({ isOver: false });
    await nodes[winner]!.give('prj_a', `n${winner}/0`);
    expect(await nodes[1]!.take('prj_a', turn('y', 2))).to.equal(17);
    expect(await nodes[0]!.take('prj_b', turn('z', 2)), 'of another project').to.equal('unknown');
  });

  it('are taken over after their time only as they were seen then, unless they were renewed', async () => {
    const { ingestTurns: turns } = (await newWorld()).control;
    await turns.begin('prj_a', 1);
    expect(await turns.take('prj_a', turn('x', 1, 1))).to.equal(1);
    const over = await seenOver(turns);
    expect(over.holder).to.equal('x/0');
    expect(await turns.renew('prj_a', { holder: 'x/0', lease: 1 })).to.equal(true);
    const again = await seenOver(turns);
    expect(again.heldUntil).to.be.above(over.heldUntil);
    expect(await turns.take('prj_a', { ...turn('y', 1), over }), 'of before it was renewed').to.deep.equal(again);
    expect(await turns.take('prj_a', { ...turn('y', 1), over: again })).to.equal(2);
    expect(await turns.renew('prj_a', { holder: 'x/0', lease: LONG }), 'what is over').to.equal(false);
    expect(await turns.take('prj_a', turn('z', 1))).to.include({ holder: 'y/0', isOver: false });
  });

  it('of the caller’s own run are taken at once: only one that was not given back can be left', async () => {
    const { ingestTurns: turns } = (await newWorld()).control;
    await turns.begin('prj_a', 1);
    expect(await turns.take('prj_a', turn('x', 1))).to.equal(1);
    expect(await turns.take('prj_a', turn('x', 1, LONG, 1))).to.equal(2);
    await turns.give('prj_a', 'x/0');
    expect(await turns.take('prj_a', turn('xx', 1)), 'a late end of the first ends nothing').to.include({
      holder: 'x/1',
    });
  });

  it('end for ever with one that removes a deleted project, but for another try of that', async () => {
    const { control, folder, clock } = await newWorld();
    const [one, other] = [control.ingestTurns, (await openControl(folder, clock)).ingestTurns];
    await one.begin('prj_a', 1);
    expect(await one.take('prj_a', { ...turn('y', 1), ofDeleted: true })).to.equal(1);
    expect(await other.take('prj_a', turn('x', 1)), 'while it is removed').to.include({ holder: 'y/0' });
    expect(await one.end('prj_a', 'y/0')).to.equal(true);
    expect(await one.end('prj_a', 'y/0'), 'it is over').to.equal(false);
    for (const node of [one, other]) expect(await node.take('prj_a', turn('x', 1))).to.equal('deleted');
    await one.give('prj_a', 'y/0');
    expect(await other.take('prj_a', { ...turn('z', 1), ofDeleted: true }), 'once more').to.equal(2);
  });
});

/** The turn of the project, when its time is over. */
async function seenOver(turns: IngestTurns) {
  for (;;) {
    const seen = await turns.take('prj_a', turn('looks', 1));
    if (typeof seen !== 'object') throw new Error(`it was free: ${seen}`);
    if (seen.isOver) return seen;
  }
}
