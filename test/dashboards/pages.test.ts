import { expect } from 'chai';
import type { Dashboard } from '../../lib/dashboards/dashboard.ts';
import { exportPage } from '../../lib/dashboards/page/export-page.ts';
import { viewerAssets, viewerPage } from '../../lib/dashboards/page/viewer-page.ts';

const HOSTILE = `</script><script>alert(1)</script><!--`;

const DASHBOARD: Dashboard = {
  version: 1,
  id: 'one',
  title: HOSTILE,
  description: null,
  order: null,
  refreshMs: null,
  timezone: null,
  variables: [],
  sections: [],
};

describe('pages of dashboards', () => {
  it('has nothing inline where a server sends them, and each file that it names', () => {
    const page = viewerPage();
    expect(page).to.not.match(/<style|<script(?! type="module" src=)|\son\w+=|\sstyle=/);
    const named = [...page.matchAll(/(?:src|href)="\/assets\/([^"]+)"/g)].map(([, name]) => name);
    expect(named).to.have.members([...viewerAssets().keys()]);
  });

  it('lets a file run its own script alone, whatever its texts say', () => {
    const values = {};
    const data = { dashboard: DASHBOARD, values, at: '2026-01-01T00:00:00.000Z', cards: {} };
    const page = exportPage({ mode: 'report', data });
    expect(page.match(/<script/g)).to.have.length(2);
    expect(page).to.not.include(HOSTILE).and.not.include('unsafe-');
    expect(page).to.include('connect-src &#39;none&#39;');
    const token = 'aat_made_up';
    const host = 'https://analytics.example:8443/some/path';
    const interactive = exportPage({ mode: 'interactive', dashboard: DASHBOARD, values, host, token });
    expect(interactive).to.include('connect-src https://analytics.example:8443;').and.include(token);
  });
});
