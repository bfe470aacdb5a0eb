// node scripts/run.mjs NAME [argument …]: runs scripts/NAME.mjs once everything it needs is there (prepare.mjs). The scripts
// themselves may use Node 22 and import packages.
import { fileURLToPath } from 'node:url';
import { prepare } from './prepare.mjs';

await prepare();
const [name] = process.argv.splice(2, 1);
const script = new URL(`${name}.mjs`, import.meta.url);
process.argv[1] = fileURLToPath(script);
await import(script.href);
