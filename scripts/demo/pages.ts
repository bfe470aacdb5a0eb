/** Pages of the demo's product, Tandem, a planner for teams. */

export const SITE = 'https://tandem.example';
export const APP = 'https://app.tandem.example';

const TITLES: Readonly<Record<string, string>> = {
  '/': 'Tandem: plan work together',
  '/features': 'Features',
  '/pricing': 'Pricing',
  '/customers': 'Customers',
  '/docs': 'Documentation',
  '/docs/getting-started': 'Getting started',
  '/docs/import': 'Import from a spreadsheet',
  '/docs/api': 'API',
  '/signup': 'Create your account',
  '/blog/planning-without-meetings': 'Planning without meetings',
  '/blog/estimates-that-hold': 'Estimates that hold',
  '/blog/one-board-many-teams': 'One board, many teams',
  '/home': 'Home',
  '/reports': 'Reports',
  '/settings/team': 'Team',
  '/settings/billing': 'Billing',
};

/** The title of a path; project pages share one. */
export function titleOf(path: string): string {
  return TITLES[path] ?? 'Board';
}

/** Where a visitor of the site goes next, by weight. From a path not listed: back to the start. */
export const LINKS: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
  '/': [['/features', 5], ['/pricing', 4], ['/customers', 2], ['/docs', 1]],
  '/features': [['/pricing', 5], ['/customers', 2], ['/', 2], ['/docs', 2]],
  '/pricing': [['/features', 3], ['/customers', 2], ['/docs', 1]],
  '/customers': [['/pricing', 4], ['/features', 3]],
  '/docs': [['/docs/getting-started', 5], ['/docs/import', 3], ['/docs/api', 2], ['/pricing', 2]],
  '/docs/getting-started': [['/docs/import', 3], ['/docs', 2], ['/pricing', 2]],
  '/docs/import': [['/docs/api', 2], ['/pricing', 2], ['/docs', 1]],
  '/docs/api': [['/docs', 1], ['/pricing', 2]],
  '/blog/planning-without-meetings': [['/', 4], ['/blog/estimates-that-hold', 3], ['/features', 2]],
  '/blog/estimates-that-hold': [['/', 4], ['/blog/one-board-many-teams', 3], ['/features', 2]],
  '/blog/one-board-many-teams': [['/', 4], ['/blog/planning-without-meetings', 3], ['/pricing', 2]],
}; // prettier-ignore
