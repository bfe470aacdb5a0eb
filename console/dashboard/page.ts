/** The page of dashboards: in the console, in `wl dashboard view`, or in a file. */
import { showConsole } from './console-place.ts';
import { showFile } from './file-place.ts';
import { showViewer } from './viewer-place.ts';

const place = document.querySelector('[data-dashboards]');
if (place instanceof HTMLElement) {
  switch (place.dataset['dashboards']) {
    case 'console':
      void showConsole(place);
      break;
    case 'viewer':
      showViewer(place);
      break;
    default:
      showFile(place);
  }
}
