/** The page of dashboards in the console. */
import { showConsole } from './console-place.ts';
import { showPerson } from './person-place.ts';

const place = document.querySelector('[data-dashboards="console"]');
if (place instanceof HTMLElement) void showConsole(place);
const person = document.querySelector('[data-dashboards="person"]');
if (person instanceof HTMLElement) void showPerson(person);
