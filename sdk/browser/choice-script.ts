/** `/public/wl.choice.js`, loaded after `wl.js`. */
import { addChoice } from './choice.ts';

const { wl } = window;
if (wl && !Array.isArray(wl)) addChoice(wl);
