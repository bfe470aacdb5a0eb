/** Steps of tests through the console. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { BrowserHost } from './browser-host.ts';

/** Creates a project in a new organization and shows its overview. */
export async function newProject(
  host: BrowserHost,
  page: Page,
  { org = 'Acme', project = 'Shop' } = {},
): Promise<void> {
  await page.goto(`${host.service.url}/console`);
  await page.getByLabel('Name').fill(org);
  await page.getByRole('button', { name: 'Create organization' }).click();
  await page.waitForURL(/\/console\/orgs\/org_/);
  await page.getByLabel('Name').fill(project);
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.waitForURL(/\/console\/projects\/prj_/);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal(project);
}

export function openTab(page: Page, name: string): Promise<void> {
  return page.locator('.tabs').getByRole('link', { name }).click();
}

/** Goes to the page above. */
export function goUp(page: Page, to: string): Promise<void> {
  return page.locator('.crumbs').getByRole('link', { name: to }).click();
}

/** Waits until the page announces it. */
export function said(page: Page, text: string): Promise<void> {
  return page.locator('#announcer').getByText(text).waitFor({ state: 'attached' });
}
