// npm run test:node -- LINE [as npm test]: golden cases, durability, and the service from its start to its end, on another line
// of Node, such as 22. It is fetched as Node 24 is. Or those tests that are named.
import { dirname, delimiter } from 'node:path';
import { provideNode } from './provide-node.mjs';
import { build, run } from './steps.mjs';

const TESTS = ['golden.test', 'durability/', 'cli/serve.test'];

const [line, ...args] = process.argv.slice(2);
if (!/^\d+$/.test(line ?? '')) {
  process.stderr.write('Which line of Node? npm run test:node -- 22\n');
  process.exit(1);
}
build();
const node = await provideNode(line);
const env = { ...process.env, PATH: dirname(node) + delimiter + process.env.PATH };
process.exitCode = run(node, ['scripts/test-built.mjs', ...(args.length > 0 ? args : TESTS)], { env });
