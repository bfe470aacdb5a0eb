import { clickHouseOpener } from '../../support/clickhouse-opener.ts';
import { itKeepsAllGroups } from '../../../../test/support/many-groups.ts';
import { PLAIN, StoreSubject } from '../../../../test/support/store-subject.ts';

describe('stages that work on all rows, over many groups in ClickHouse', () => {
  let subject: StoreSubject;
  before(() => (subject = new StoreSubject(PLAIN, clickHouseOpener())));
  after(() => subject.close());
  itKeepsAllGroups(() => subject);
});
