/** A host with the demo's six weeks of events, and dashboards that query it. */
import { readdirSync, readFileSync } from 'node:fs';
import { checkDashboard } from '../../../lib/dashboards/check.ts';
import type { Dashboard } from '../../../lib/dashboards/dashboard.ts';
import type { DashboardData, Envelope } from '../../../lib/dashboards/data.ts';
import type { AskCard } from '../../../lib/dashboards/run.ts';
import { AskError, runDashboard } from '../../../lib/dashboards/run.ts';
import { defaultValues } from '../../../lib/dashboards/values.ts';
import { fillDemo } from '../../../scripts/demo/fill.ts';
import type { TestService } from '../../support/service.ts';
import { BrowserHost } from '../browser-host.ts';

export const READY_DASHBOARDS = readdirSync('public/dashboards').filter((name) => name.endsWith('.yaml'));

export async function startDemoHost(): Promise<BrowserHost> {
  const host = await BrowserHost.start({ WINDLASS_QUERIES_PER_MINUTE: '0', WINDLASS_AUTH_FAILURES_PER_MINUTE: '0' });
  const { url, keys } = host.service;
  await fillDemo({ host: url, secretKey: keys.secretKey, now: Date.now() });
  return host;
}

/** Throws with what is wrong with the text. */
export function dashboardFrom(text: string): Dashboard {
  const { dashboard, problems } = checkDashboard(text);
  if (dashboard === null) throw new Error(problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return dashboard;
}

export function readyDashboard(file: string): Dashboard {
  return dashboardFrom(readFileSync(`public/dashboards/${file}`, 'utf8'));
}

/** The one that is built in, of somebody who bought something. */
export async function personDashboard(service: TestService): Promise<Dashboard> {
  const dashboard = dashboardFrom(readFileSync('console/person.yaml', 'utf8'));
  const [{ distinct_id: id }] = (await (await service.post('/query', { q: 'purchase | list distinct_id | last 30d', format: 'json', limit: 1 })).json()) as [{ distinct_id: string }]; // prettier-ignore
  const variables = dashboard.variables.map((one) => (one.name === 'person' ? { ...one, default: id } : one));
  return { ...dashboard, variables };
}

/** Runs it with the default values of its variables. */
export function dataOf(service: TestService, dashboard: Dashboard): Promise<DashboardData> {
  return runDashboard({ dashboard, values: defaultValues(dashboard), ask: asking(service) });
}

function asking(service: TestService): AskCard {
  return async ({ q, timezone, limit }) => {
    const body = { q, limit, format: 'json', envelope: true, ...(timezone === null ? {} : { timezone }) };
    const response = await service.post('/query', body);
    if (!response.ok) throw new AskError(((await response.json()) as { error: string }).error);
    return (await response.json()) as Envelope;
  };
}
