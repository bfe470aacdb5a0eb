// Compiles the schemas of bodies (lib/router/route/json-body.ts): to load and run a compiler takes as long as a first query. Part of
// the build.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { BODY_SCHEMAS } from '../dist/lib/router/route/json-body.js';
import { ROOT } from './root.mjs';

await import('../dist/lib/router/routes.js'); // each of its bodies adds itself to the schemas
await import('../dist/lib/router/mcp/protocol.js'); // arguments of tools are bodies, too

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, code: { source: true, esm: true } }); // a body is small, and so are its errors
const names = [...BODY_SCHEMAS.keys()];
for (const [name, schema] of BODY_SCHEMAS) ajv.addSchema(schema, name);
const code = standalone.default(ajv, Object.fromEntries(names.map((name) => [name, name])));
if (code.includes('require(')) throw new Error('a compiled schema needs a part of ajv: use other keywords');
const all = `const CHECKS = { ${names.join(', ')} };\nexport const checkOf = (name) => CHECKS[name];\n`;
writeFileSync(join(ROOT, 'dist/lib/router/route/body-checks.js'), `${code}\n${all}`);
