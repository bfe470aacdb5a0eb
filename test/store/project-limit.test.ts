import { expect } from 'chai';
import { AppError } from '../../lib/base/errors.ts';
import { ProjectLimit } from '../../lib/store/project-limit.ts';

describe('a limit of costly tasks', () => {
  it('leaves something for the next organization, however many those before hold', () => {
    const limit = new ProjectLimit({ what: 'exports', ofProject: 2, ofAll: 16 });
    const ends: (() => void)[] = [];
    /** As many as an organization gets, through many projects. */
    const taken = (orgId: string): number => {
      for (let got = 0; ; got++) {
        try {
          ends.push(limit.enter({ id: `${orgId} ${Math.floor(got / 2)}`, orgId, weight: 1 }));
        } catch (error) {
          if (error instanceof AppError && error.data.code === 'overloaded') return got;
          throw error;
        }
      }
    };
    expect(['a', 'b', 'c', 'd', 'e'].map(taken)).to.deep.equal([8, 4, 2, 1, 1]);
    expect(taken('f')).to.equal(0);
    for (const end of ends) end();
    expect(taken('f')).to.equal(8);
  });

  it('lets a project have its own', () => {
    const limit = new ProjectLimit({ what: 'exports', ofProject: 2, ofAll: 16 });
    const project = { id: 'p', orgId: 'o', weight: 1 };
    const end = limit.enter(project);
    limit.enter(project);
    expect(() => limit.enter(project)).to.throw('2 exports are running already');
    end();
    limit.enter(project);
  });
});
