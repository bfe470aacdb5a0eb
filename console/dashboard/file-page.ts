/** The page of `wl dashboard view`, or of a saved file. */
import { followMenus } from '../menus.ts';
import { showFile } from './file-place.ts';
import { showViewer } from './viewer-place.ts';

followMenus();
const place = document.querySelector('[data-dashboards]');
if (place instanceof HTMLElement) {
  if (place.dataset['dashboards'] === 'viewer') showViewer(place);
  else showFile(place);
}
