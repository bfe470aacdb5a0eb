/** The program of threads that check dashboards. */
export { checkDashboard } from './check.ts';
