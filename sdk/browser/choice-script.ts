/** `/public/wl.choice.js`. If `wl.js` is not there yet, it waits for it as the page's own calls do. */
import { addChoice } from './choice.ts';
import { earlierCalls } from './earlier-calls.ts';

const add = (): void => {
  const { wl } = window;
  if (wl && !Array.isArray(wl)) addChoice(wl);
};

window.wl = earlierCalls() ?? window.wl;
window.wl?.push(add);
