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
  await unfold(page, 'New organization');
  await page.getByLabel('Name').fill(org);
  await page.getByRole('button', { name: 'Create organization' }).click();
  await page.waitForURL(/\/console\/orgs\/org_/);
  await page.getByLabel('Name').fill(project);
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.waitForURL(/\/console\/projects\/prj_/);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal(project);
}

/** Shows what is folded behind these words. */
export function unfold(page: Page, words: string): Promise<void> {
  return page.locator('summary').getByText(words, { exact: true }).click();
}

/** Answers the question of a dialog with its button, which names the act. */
export function confirmAct(page: Page, act: string): Promise<void> {
  return page.getByRole('dialog').getByRole('button', { name: act, exact: true }).click();
}

export function openTab(page: Page, name: string): Promise<void> {
  return page.locator('.tabs').getByRole('link', { name }).click();
}

/** Goes to the organization of the page. */
export async function goUp(page: Page, organization: string): Promise<void> {
  const place = page.locator('.place-organization');
  await place.locator('summary').click();
  await place.getByRole('link', { name: organization, exact: true }).click();
}

/** Opens the menu of the account, in which the sessions and the logout are. */
export function openAccount(page: Page): Promise<void> {
  return page.locator('summary[aria-label="Account"]').click();
}

/** Waits until the page announces it. */
export function said(page: Page, text: string): Promise<void> {
  return page.locator('#announcer').getByText(text).waitFor({ state: 'attached' });
}
