import { expect } from 'chai';
import type { Browser, Request } from 'playwright-core';
import type { TestService } from '../support/service.ts';
import { startTestService } from '../support/service.ts';
import { makeLink } from '../support/session-browser.ts';
import { launchChromium, PAGE_PATIENCE } from './chromium.ts';
import { openAccount } from './console-steps.ts';

/** For browsers an http address of another machine: they send no Sec-Fetch-Site, and `Origin` as the page's policy says. */
const NAME = 'analytics.test';

describe('a login link in a browser, over plain http and without scripts', () => {
  let test: TestService;
  let browser: Browser;
  before(async () => {
    browser = await launchChromium([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`]);
    test = await startTestService();
  });
  after(async () => {
    await browser.close();
    await test.stop();
  });

  it('logs in and out, and tells its token to nothing that is loaded', async () => {
    const host = `http://${NAME}:${new URL(test.url).port}`;
    const context = await browser.newContext({ javaScriptEnabled: false });
    context.setDefaultTimeout(PAGE_PATIENCE);
    const page = await context.newPage();
    const requests: Request[] = [];
    page.on('request', (request) => requests.push(request));
    const token = await makeLink(test, 'ada@example.com');
    await page.goto(`${host}/auth/link?token=${token}`);
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL(`${host}/console`);
    await openAccount(page);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.waitForURL(`${host}/login`);
    const headers = await Promise.all(requests.map((request) => request.allHeaders()));
    expect(headers.some((sent) => 'sec-fetch-site' in sent)).to.equal(false);
    expect(headers.flatMap(({ referer = '' }) => (referer.includes(token) ? [referer] : []))).to.deep.equal([]);
    expect(requests.filter((request) => request.method() === 'POST').length).to.equal(2);
    expect((await context.cookies(host)).map(({ name }) => name)).to.deep.equal([]);
  });
});
