/**
 * The CSVs of Plausible's export, https://plausible.io/docs/csv-import: sums by day, each file by another dimension. A row becomes one
 * event with its counts.
 */
import { browserName, deviceType, systemName } from '../client-names.ts';
import { countryCode } from '../countries.ts';
import * as to from '../draft.ts';
import { type ImportFormat, type Mapped, type SourceRecord, ImportError } from '../format.ts';

export const plausible: ImportFormat = {
  name: 'plausible',
  title: "Plausible's sums by day",
  reads: ['csv'],
  recognizes: (record) => 'date' in record && 'visitors' in record && reportOf(record) !== undefined,
  map,
};

/** What a file counts by, by the column that only it has; the last has no dimension. */
const REPORTS: readonly (readonly [column: string, report: string])[] = [
  ...([['source', 'sources'], ['page', 'pages'], ['entry_page', 'entry_pages'], ['exit_page', 'exit_pages']] as const),
  ...([['link_url', 'custom_events'], ['property', 'custom_props'], ['country', 'locations']] as const),
  ...([['device', 'devices'], ['browser', 'browsers'], ['operating_system', 'operating_systems']] as const),
  ['pageviews', 'visitors'],
]; // prettier-ignore

const reportOf = (record: SourceRecord): string | undefined => REPORTS.find(([column]) => column in record)?.[1];

const PLACES = to.placesOf({
  date: to.formatItself,
  ...{ browser: to.root('_browser', browserName), browser_version: to.root('_browser_version') },
  ...{ operating_system: to.root('_os', systemName), operating_system_version: to.root('_os_version') },
  ...{ device: to.root('_device_type', deviceType), country: to.root('_country', countryCode), region: to.root('_region') },
  city: to.property('city_geoname_id', (id) => (id === '0' ? undefined : id)),
  ...{ hostname: to.formatItself, page: to.formatItself },
  ...to.each(
    ['source', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term', 'entry_page', 'exit_page'],
    to.ownProperty,
  ),
  ...to.each(['name', 'link_url', 'path', 'property', 'value'], to.ownProperty),
  referrer: to.property('referrer', (text) => withScheme(String(text))),
}); // prettier-ignore

const SUMS = { field: 'visitors', why: 'they are sums by day: Plausible exports no single events, visits or people' };

function map(record: SourceRecord): Mapped {
  const report = reportOf(record);
  if (report === undefined) throw new ImportError('the columns are not those of a file of Plausible');
  const draft = new to.Draft();
  draft.set('event_type', 'plausible.daily');
  draft.set('time', noonOf(to.timeOf(record, 'date')));
  draft.properties.set('report', report);
  const [host, page] = [to.ownText(record, 'hostname'), to.ownText(record, 'page')];
  if (page !== undefined) draft.properties.set('url', host === undefined ? page : `https://${host}${page}`);
  draft.place(record, PLACES, placeCount);
  draft.lost.push(SUMS);
  return draft.end();
}

/** Noon in UTC, which is the same day nearly everywhere on earth: days are those of the site, whose zone the file does not have. */
const noonOf = (time: string): string => `${time.slice(0, 10)}T12:00:00.000Z`;

const placeCount: to.Goal = (draft, value, field) => to.property(field, to.spelledAsNumber)(draft, value, field);

/** Plausible keeps referrers without their scheme. */
const withScheme = (text: string): string => (/^[a-z][a-z\d+.-]*:/i.test(text) ? text : `https://${text}`);
