// npm run --silent sbom > sbom.json: every package of the lock file with version, hash and licence, as CycloneDX JSON.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm.mjs';
import { ROOT } from './root.mjs';

const LARGEST = 64 * 1024 * 1024; // bytes

const { command, leading, options } = npm();
const args = [...leading, 'sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
const stdio = ['ignore', 'pipe', 'inherit'];
const bill = JSON.parse(execFileSync(command, args, { cwd: ROOT, maxBuffer: LARGEST, stdio, ...options }));
const nameIn = (folder) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')).name;
bill.metadata.component.name = nameIn('.'); // npm takes the folder's name
bill.components.find(({ name }) => name === 'cluster').name = nameIn('cluster');
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
