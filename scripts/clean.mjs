// npm run clean: removes build output. Data and installed packages stay.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.mjs';

for (const folder of ['dist', 'dist-bin', '.build', 'coverage'])
  rmSync(join(ROOT, folder), { recursive: true, force: true });
