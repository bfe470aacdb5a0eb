// npm run test:cluster [-- as npm test]: the tests of the store on ClickHouse. Its engine is the package chdb, installed into
// bench/node_modules when it is missing; with CLICKHOUSE_URL (http://user:password@host:8123), they run against that server.
import { build } from './steps.mjs';
import { testCommand } from './test-command.mjs';
import { clusterTests } from './test-files.mjs';

build();
if (process.env.CLICKHOUSE_URL === undefined) {
  const { installPeers } = await import('../dist/bench/install-peers.js');
  installPeers();
}
process.exitCode = await testCommand(clusterTests());
