import { type Html, html } from '../html.ts';
import type { PageScript } from '../layout.ts';
import { consolePage } from './console-layout.ts';
import { type ProjectTab, CONSOLE, orgPath, projectPath } from './paths.ts';
import { type ProjectVisit, may } from './visit.ts';

const TABS: readonly (readonly [ProjectTab, string])[] = [
  ['', 'Overview'],
  ['ask', 'Ask'],
  ['dashboards', 'Dashboards'],
  ['keys', 'Keys and tokens'],
  ['settings', 'Settings'],
];

/** A page of a project, possibly with its own script. Viewers do not see the keys tab, which they may not read. */
export function projectPage(visit: ProjectVisit, tab: ProjectTab, main: Html, script?: PageScript): Html {
  const { organization, project, role } = visit;
  const tabs = TABS.filter(([name]) => name !== 'keys' || may(visit, 'member'));
  return consolePage({
    visit,
    title: project.name,
    crumbs: [
      { href: CONSOLE, text: 'Console' },
      { href: orgPath(organization.id), text: organization.name },
    ],
    aside: html`<p class="badge">${role}</p>`,
    tabs: {
      label: 'Project',
      current: projectPath(project.id, tab),
      links: tabs.map(([name, text]) => ({ href: projectPath(project.id, name), text })),
    },
    main,
    ...(script === undefined ? {} : { script }),
  });
}
