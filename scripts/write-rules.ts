/** Writes what scripts/prometheus-rule.ts makes. Run it from the root, on the built files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { prometheusRule } from './prometheus-rule.ts';

const alerts = readFileSync('deploy/prometheus/alerts.yaml', 'utf8');
writeFileSync('deploy/kubernetes/watch/prometheusrule.yaml', prometheusRule(alerts));
