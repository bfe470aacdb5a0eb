import { type Html, html } from '../html.ts';
import { consolePage } from './console-layout.ts';
import { type OrgTab, CONSOLE, orgPath } from './paths.ts';
import { type OrgVisit, may } from './visit.ts';

const TABS: readonly (readonly [OrgTab, string])[] = [
  ['', 'Projects'],
  ['usage', 'Usage'],
  ['members', 'Members'],
  ['audit', 'Audit trail'],
  ['settings', 'Settings'],
];

/** A page of an organization. Members do not see the audit trail tab, which they may not read. */
export function orgPage(visit: OrgVisit, tab: OrgTab, main: Html): Html {
  const { organization, role } = visit;
  const tabs = TABS.filter(([name]) => name !== 'audit' || may(visit, 'admin'));
  return consolePage({
    visit,
    title: organization.name,
    crumbs: [{ href: CONSOLE, text: 'Console' }],
    aside: html`<p class="badge">${role}</p>`,
    tabs: {
      label: 'Organization',
      current: orgPath(organization.id, tab),
      links: tabs.map(([name, text]) => ({
        href: orgPath(organization.id, name),
        text: name === 'usage' && visit.host.price !== null ? 'Usage and bill' : text,
      })),
    },
    main,
  });
}
