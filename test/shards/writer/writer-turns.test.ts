import { expect } from 'chai';
import type { AppendMessage, WriterMessage } from '../../../lib/shards/writer-messages.ts';
import { WriterTurns } from '../../../lib/shards/writer/writer-turns.ts';

let next = 1;
const append = (orgId: string, id: string, bytes = 10): AppendMessage => ({
  ...{ op: 'append', id: next++, kind: 'track', encoding: 'identity', body: new Uint8Array(bytes) },
  project: { id, orgId, weight: 1, retentionDays: null, ipPolicy: 'none' },
  context: { receivedAt: 0, keyKind: 'public', ip: null, userAgent: null, place: null },
});
const named = (message: WriterMessage | undefined): string =>
  message?.op === 'append' ? message.project.id : (message?.op ?? 'nothing');

describe('turns of a writer', () => {
  it('take one request of somebody after at most one of a flood, however large that is', () => {
    const turns = new WriterTurns();
    for (let n = 0; n < 50; n++) turns.push(append('org_flood', `prj_flood_${n % 30}`, 1_000_000));
    expect(named(turns.shift())).to.match(/flood/);
    for (let n = 0; n < 5; n++) turns.push(append('org_small', 'prj_small'));
    const taken = Array.from({ length: 6 }, () => named(turns.shift()));
    expect(taken.filter((name) => name === 'prj_small')).to.have.length(5);
  });

  it('take requests of others between the slices of one body, however many it takes', () => {
    const turns = new WriterTurns();
    const body = append('org_flood', 'prj_flood', 1_000);
    turns.push(body);
    for (let slice = 0; slice < 50; slice++) {
      expect(turns.shift()).to.equal(body);
      turns.again([body], 'slice');
    }
    turns.push(append('org_small', 'prj_small'));
    expect([turns.shift(), turns.shift()].map(named)).to.include('prj_small');
  });

  it('take requests of others between lookups that somebody asks for in a loop', () => {
    const turns = new WriterTurns();
    const lookup = (): WriterMessage => {
      return { op: 'device', id: next++, project: { id: 'prj_flood', orgId: 'org_flood', weight: 1 }, deviceId: 'd' };
    };
    for (let n = 0; n < 50; n++) turns.push(lookup());
    for (let n = 0; n < 5; n++) turns.push(append('org_small', 'prj_small'));
    const taken = Array.from({ length: 7 }, () => named(turns.shift()));
    expect(taken.filter((name) => name === 'prj_small')).to.have.length(5);
    turns.push({ op: 'drop', id: next++, project: 'prj_flood' });
    expect(Array.from({ length: 48 }, () => named(turns.shift()))).to.deep.equal([...Array(48).fill('device')]);
    expect(named(turns.shift())).to.equal('drop');
  });

  it('take what nobody asks for in a loop at once', () => {
    const turns = new WriterTurns();
    for (let n = 0; n < 5; n++) turns.push(append('org_flood', 'prj_flood'));
    turns.push({ op: 'snapshot', id: next++, project: 'prj_small' });
    expect(named(turns.shift())).to.equal('snapshot');
  });

  it('take what came before of a project that goes, and everything before the end', () => {
    const turns = new WriterTurns();
    for (const project of ['prj_a', 'prj_b', 'prj_a']) turns.push(append('org_a', project));
    turns.push({ op: 'drop', id: next++, project: 'prj_a' });
    expect(Array.from({ length: 4 }, () => named(turns.shift()))).to.deep.equal(['prj_a', 'prj_a', 'drop', 'prj_b']);
    turns.push(append('org_a', 'prj_b'));
    turns.push({ op: 'close', id: next++ });
    expect([named(turns.shift()), named(turns.shift()), turns.size]).to.deep.equal(['prj_b', 'close', 0]);
  });

  it('take what was held back before what came later of the project, a deletion above all', () => {
    const of = (op: 'drop' | 'freeze' | 'snapshot', project = 'prj_a'): WriterMessage => ({ op, id: next++, project });
    const turns = new WriterTurns();
    const [frozen, held, later, other] = [of('freeze'), append('org_a', 'prj_a'), append('org_a', 'prj_a'), of('snapshot', 'prj_b')]; // prettier-ignore
    const drop = of('drop');
    for (const message of [other, later, drop]) turns.push(message);
    turns.again([held, frozen]);
    const taken = Array.from({ length: 5 }, () => turns.shift());
    expect(taken).to.deep.equal([held, frozen, later, drop, other]);
    expect(turns.size).to.equal(0);
  });
});
