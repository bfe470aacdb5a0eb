// Prints the queries of the dashboards as recording rules, so that promtool can check them: node rules.mjs | promtool check rules
// Fails if two panels of one have the same id or overlap.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const boards = ['windlass.json', 'projects.json'].map((file) => {
  const { panels } = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
  return panels;
});
for (const panels of boards) checkPlaces(panels);

function checkPlaces(panels) {
  const taken = new Set();
  for (const { id, title, gridPos } of panels) {
    const { x, y, w, h } = gridPos;
    const cells = Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`);
    for (const place of [`id ${id}`, ...cells]) {
      assert.ok(!taken.has(place), `"${title}": ${place} is taken`);
      taken.add(place);
    }
  }
}
const rules = boards
  .flat()
  .flatMap(({ targets = [] }) => targets)
  .map(({ expr }, n) => {
    const asked = expr.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h').replaceAll('$instance', '.*');
    return `      - { record: 'windlass:panel:${n}', expr: ${JSON.stringify(asked)} }`;
  });
console.log(['groups:', '  - name: dashboard', '    rules:', ...rules].join('\n'));
