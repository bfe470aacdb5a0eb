import { PartsSubject } from '../../support/parts-subject.ts';
import { PLAIN, StoreSubject } from '../../support/store-subject.ts';
import { openEmbeddedStore } from '../../../lib/store/open-embedded-store.ts';
import { itKeepsAllGroups } from '../../support/many-groups.ts';

describe('stages that work on all rows, over many groups', () => {
  for (const parts of [1, 3]) {
    describe(`merged of ${parts} ${parts === 1 ? 'part' : 'parts'}`, () => {
      let subject: PartsSubject;
      before(() => {
        subject = new PartsSubject();
        subject.parts = parts;
      });
      after(() => subject.close());
      itKeepsAllGroups(() => subject);
    });
  }

  describe('in the embedded store', () => {
    let subject: StoreSubject;
    before(() => (subject = new StoreSubject(PLAIN, openEmbeddedStore)));
    after(() => subject.close());
    itKeepsAllGroups(() => subject);
  });
});
