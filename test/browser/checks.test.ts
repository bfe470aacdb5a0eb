import { expect } from 'chai';
import { BrowserHost, faultsOf } from './browser-host.ts';
import { launchChromium } from './chromium.ts';
import { openWatched } from './watched-page.ts';

describe('the checks of pages', () => {
  let host: BrowserHost;
  before(async () => {
    host = await BrowserHost.start();
  });
  afterEach(() => host.finish());
  after(() => host.stop());

  const SHELL = (main: string): string =>
    `<!doctype html><html lang="en"><title>x</title><body style="background:#fff;color:#000"><a href="#main">Skip</a><header></header><main id="main"><h1>x</h1>${main}</main><footer></footer>`;

  const CASES: readonly (readonly [what: string, markup: string, fault: RegExp])[] = [
    ['a field without a label', '<input style="height:30px">', /^nameless <input/],
    ['a button without a name', '<button style="width:40px;height:40px"></button>', /^nameless <button/],
    ['a heading that skips a level', '<h3>x</h3>', /^h3 after h1/],
    ['text that is too pale', '<p style="color:#999">x</p>', /^contrast 2\.8\d/],
    [
      'pale text on a half transparent ground',
      '<p style="background:rgba(0,0,0,.5);color:#666">x</p>',
      /^contrast 1\.4/,
    ],
    [
      'a pale edge of a field',
      '<input aria-label="x" style="border:1px solid #ccc;height:30px">',
      /^edge with contrast 1\.6/,
    ],
    ['a page that is too wide', '<p style="width:3000px">x</p>', /px wider than the window/],
    ['an id that stands twice', '<p id="a">x</p><p id="a">y</p>', /^two elements #a/],
    ['a label for nothing', '<label for="nothing">x</label>', /^for of nothing/],
    ['a table without heads', '<table><tr><td>x</td></tr></table>', /^a table without scopes/],
    ['a picture without words', '<svg width="9" height="9"></svg>', /^a picture for nobody/],
    [
      'a target that is too small',
      '<button style="height:10px;width:60px;font-size:6px;padding:0">x</button>',
      /^too small/,
    ],
    ['text that cannot be scrolled with keys', '<pre>x</pre>', /^cannot be scrolled/],
    ['a navigation without a name', '<nav></nav>', /^nameless <nav/],
  ];

  it('find nothing on a sound page', async () => {
    const page = await host.page();
    await page.setContent(SHELL('<p>x</p>'));
    expect(await faultsOf(page)).to.deep.equal([]);
  });

  for (const [what, markup, fault] of CASES) {
    it(`find ${what}`, async () => {
      const page = await host.page();
      await page.setContent(SHELL(markup));
      const faults = await faultsOf(page);
      expect(faults).to.have.length(1);
      expect(faults[0]).to.match(fault);
    });
  }

  it('collect what a page does that none may do', async () => {
    const browser = await launchChromium();
    const { page, complaints } = await openWatched(browser, { origins: [host.service.url] });
    await page.goto(`${host.service.url}/login`);
    expect(complaints).to.deep.equal([]);
    await page.evaluate(`document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/x.png' }))`);
    while (complaints.length === 0) await page.waitForTimeout(10);
    const thrown = page.waitForEvent('pageerror'); // before the next page loads
    await page.evaluate(`setTimeout(() => { throw new Error('on purpose'); })`);
    await thrown;
    await page.goto('http://127.0.0.1:9/').catch(() => null);
    await browser.close();
    for (const kind of [
      /^policy violated|policy violated: img-src/,
      /a script threw: on purpose/,
      /asked another host: http:\/\/127\.0\.0\.1:9\/$/,
    ]) {
      expect(
        complaints.some((complaint) => kind.test(complaint)),
        `${kind} in ${complaints.join('\n')}`,
      ).to.equal(true);
    }
  });
});
