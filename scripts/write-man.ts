/** Writes docs/wl.1 from the definitions of the commands. Run it from the root, on the built files. */
import { writeFileSync } from 'node:fs';
import { manPage } from './man-page.ts';

writeFileSync('docs/wl.1', await manPage());
