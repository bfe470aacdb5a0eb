import { expect } from 'chai';
import type { AppendMessage } from '../../../lib/shards/writer-messages.ts';
import { ProjectActor, type ProjectMessage } from '../../../lib/shards/writer/project-actor.ts';
import { answerTo, Bench, begin, tell } from '../../support/bench.ts';
import { PROJECT, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let next = 1;
const append = (kind: AppendMessage['kind'] = 'track'): AppendMessage => ({
  ...{ op: 'append', id: next++, kind, encoding: 'identity', body: new Uint8Array(10) },
  project: { ...PROJECT, id: 'prj_a' },
  context: { receivedAt: 0, keyKind: 'public', ip: null, userAgent: null, place: null },
});
const about = (op: 'drop' | 'freeze' | 'thaw' | 'snapshot'): ProjectMessage => ({ op, id: next++, project: 'prj_a' });

/** Takes all messages, in order. */
function taken(project: ProjectActor): ProjectMessage[] {
  const all: ProjectMessage[] = [];
  while (project.next !== undefined) all.push(project.take());
  return all;
}

describe('the inbox of a project', () => {
  let project: ProjectActor;
  beforeEach(() => (project = new ProjectActor('prj_a')));

  it('has what nobody asks for in a loop first, in order', () => {
    const [event, first, second] = [append(), about('snapshot'), about('snapshot')];
    for (const message of [event, first, second]) project.receive(message);
    expect(taken(project)).to.deep.equal([first, second, event]);
  });

  it('keeps its order where the project goes: no event that came before it was deleted comes after that', () => {
    const [event, drop, later, question] = [append(), about('drop'), append(), about('snapshot')];
    for (const message of [event, drop, later, question]) project.receive(message);
    expect(project.isUrgent).to.equal(true);
    expect(taken(project)).to.deep.equal([event, drop, question, later]);
    expect(project.isUrgent).to.equal(false);
  });

  it('has again at its head what was taken, and stays urgent as long as it is', () => {
    const [event, drop] = [append(), about('drop')];
    for (const message of [event, drop]) project.receive(message);
    project.putBack(project.take());
    expect(taken(project)).to.deep.equal([event, drop]);
    const question = about('snapshot');
    project.receive(question);
    project.putBack(project.take());
    expect([project.isUrgent, project.next]).to.deep.equal([true, question]);
  });

  it('lets events pass while a seal is under way that nobody waits for, but not behind a question', () => {
    project.busy('seal', 'appends');
    expect(project.isReady).to.equal(false);
    project.receive(append());
    expect(project.isReady).to.equal(true);
    project.receive(about('snapshot'));
    expect(project.isReady).to.equal(false);
    project.done();
    expect(project.isReady).to.equal(true);
    taken(project);
    project.busy('seal', 'appends');
    project.receive(append('unbind')); // which reads the file
    expect(project.isReady).to.equal(false);
  });

  it('lets only its end pass while an erasure has the file', () => {
    project.busy('erasure', 'thaw');
    for (const message of [append(), about('snapshot'), about('drop')]) project.receive(message);
    expect(project.isReady).to.equal(false);
    const thaw = about('thaw');
    project.receive(thaw);
    expect([project.isReady, project.take()]).to.deep.equal([true, thaw]);
  });
});

describe('turns of projects', () => {
  let probe: WriterProbe;
  const FLOOD = { ...PROJECT, id: 'prj_flood', orgId: 'org_flood' };
  const SMALL = { ...PROJECT, id: 'prj_small', orgId: 'org_small' };
  beforeEach(() => {
    probe = new WriterProbe(temporaryFolder());
    for (const project of [FLOOD, SMALL]) tell(probe, { op: 'device', project, deviceId: 'd' });
    probe.stepwise = true;
  });

  const deliver = (message: Record<string, unknown>): number => {
    const id = 10_000 + next++;
    probe.writer.deliver({ ...message, id } as ProjectMessage);
    return id;
  };
  const answered = (ids: readonly number[]): number => ids.filter((id) => answerTo(probe, id) !== undefined).length;

  it('go to others between lookups that somebody asks for in a loop', () => {
    const flood = Array.from({ length: 50 }, () => deliver({ op: 'device', project: FLOOD, deviceId: 'd' }));
    const small = Array.from({ length: 5 }, () => deliver({ op: 'device', project: SMALL, deviceId: 'd' }));
    probe.turns(11);
    expect(answered(small)).to.equal(5);
    expect(answered(flood)).to.be.within(5, 6);
  });

  it('come at once for what nobody asks for in a loop', () => {
    for (let n = 0; n < 5; n++) deliver({ op: 'device', project: FLOOD, deviceId: 'd' });
    const asked = deliver({ op: 'extent', project: 'prj_small' });
    probe.turns(1);
    expect(answered([asked])).to.equal(1);
  });

  it('come before all else for a project that goes, with all that came before', () => {
    for (let n = 0; n < 20; n++) deliver({ op: 'device', project: SMALL, deviceId: 'd' });
    const before = Array.from({ length: 3 }, () => deliver({ op: 'device', project: FLOOD, deviceId: 'd' }));
    const dropped = deliver({ op: 'drop', project: FLOOD.id });
    probe.turns(4);
    expect(answered([...before, dropped])).to.equal(4);
  });

  it('end when everything is done that came before the end', () => {
    const bench = new Bench();
    probe = new WriterProbe(temporaryFolder(), {}, bench);
    probe.stepwise = true;
    const event = begin(probe, [{ event_type: 'e' }]);
    const closed = tell(probe, { op: 'close' });
    while (probe.writer.isReady) probe.turns(1);
    expect([event, closed].map((id) => answerTo(probe, id)?.ok)).to.deep.equal([true, true]);
    expect(bench.closed).to.equal(true);
  });
});
