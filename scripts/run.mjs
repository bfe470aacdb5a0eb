// node scripts/run.mjs NAME [argument …]: scripts/NAME.mjs, once there is all that it needs (prepare.mjs). Scripts themselves
// may be written for Node 22 and import packages.
import { fileURLToPath } from 'node:url';
import { prepare } from './prepare.mjs';

await prepare();
const [name] = process.argv.splice(2, 1);
const script = new URL(`${name}.mjs`, import.meta.url);
process.argv[1] = fileURLToPath(script);
await import(script.href);
