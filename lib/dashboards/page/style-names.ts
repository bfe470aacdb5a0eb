/** Style sheets of dashboards, in the order in which they override each other. */
export const DASHBOARD_STYLES = ['dashboards', 'dashboard-cards', 'dashboard-pictures', 'dashboard-tables'] as const;
