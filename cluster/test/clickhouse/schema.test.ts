import { expect } from 'chai';
import { createStatements } from '../../lib/clickhouse/schema.ts';

describe('the tables of a cluster', () => {
  it('are replicated on each server, and spread by project', () => {
    const statements = createStatements({ database: 'analytics', cluster: 'main' });
    const [, local, spread] = statements;
    expect(local).to.match(/^CREATE TABLE IF NOT EXISTS `analytics`\.events_local ON CLUSTER `main` \(/);
    expect(local).to.include(
      "ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')",
    );
    expect(spread).to.match(/AS `analytics`\.events_local ENGINE = Distributed\(`main`, `analytics`, events_local, sipHash64\(project\)\)$/); // prettier-ignore
    const identities = statements.find((statement) => statement.includes('.identities_local ON'));
    expect(identities).to.include("ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', arrival)"); // prettier-ignore
  });

  it('are in the database that is named, whatever its name is', () => {
    const [database] = createStatements({ database: 'a`; DROP DATABASE b; \\', cluster: null });
    expect(database).to.equal('CREATE DATABASE IF NOT EXISTS `a\\`; DROP DATABASE b; \\\\`');
  });
});
