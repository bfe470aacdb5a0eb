/** deploy/kubernetes/watch/prometheusrule.yaml: the alerts of deploy/prometheus for the Prometheus operator. */

const HEAD = `# For the Prometheus operator. Written from deploy/prometheus/alerts.yaml by \`npm run docs\`; a test compares the two.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: windlass
spec:
`;

/** @param alerts The text of alerts.yaml. */
export function prometheusRule(alerts: string): string {
  const groups = alerts.slice(alerts.indexOf('groups:'));
  return HEAD + groups.replaceAll(/^(?=.)/gm, '  ');
}
