import { expect } from 'chai';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { NOW, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PROJECTS = ['prj_a', 'prj_b', 'prj_c', 'prj_d', 'prj_e'];
/** So long after their last events projects are tidied up. Milliseconds. */
const LATER = 10_000;

describe('projects that have rested for a while', () => {
  it('have their few segments compacted, a few projects a round while requests come', () => {
    const probe = new WriterProbe(temporaryFolder());
    for (let segment = 1; segment <= 2; segment++) {
      for (const project of PROJECTS) {
        probe.track([{ event_type: 'e' }], NOW, project);
        probe.snapshot(project);
      }
    }
    const round = (isQuiet: boolean): string[] => {
      Array.from(probe.writer.housekeeping(monotonic() + LATER, isQuiet));
      return probe.takeCompactions().map(({ project }) => project);
    };
    const first = round(false);
    expect(first).to.have.length(2);
    expect([...first, ...round(false), ...round(true)].sort()).to.deep.equal(PROJECTS);
  });
});
