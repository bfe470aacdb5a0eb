// npm run test:node -- LINE [as npm test]: runs golden cases, durability tests and the service from start to end on another line
// of Node, such as 22, fetched as Node 24 is. Named tests run instead of these.
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
