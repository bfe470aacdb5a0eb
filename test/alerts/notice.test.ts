import { expect } from 'chai';
import { discordBody, letterOf, type Notice, slackBody, noticeTable, webhookBody } from '../../lib/alerts/notice.ts';

const NOTICE: Notice = {
  ...{ kind: 'fired', id: 'msg_1', at: Date.UTC(2026, 0, 15, 9), saw: 'country DE, count 7' },
  project: { id: 'prj_1', name: 'Shop' },
  alert: { id: 'few', title: 'Few orders', description: null },
  url: 'https://host.example/console/projects/prj_1/alerts/few',
  ...{ columns: ['country', 'count'], rows: [{ country: 'DE', count: 7 }], total: 1, report: null },
};

const parsed = (json: string): Record<string, unknown> => Object(JSON.parse(json));

describe('what alerts tell', () => {
  it('is for a webhook what receivers of the host get, too: type, timestamp, data', () => {
    expect(JSON.parse(webhookBody(NOTICE))).to.deep.equal({
      type: 'alert.fired',
      timestamp: '2026-01-15T09:00:00.000Z',
      data: {
        ...{ project_id: 'prj_1', alert_id: 'few', title: 'Few orders', saw: 'country DE, count 7', url: NOTICE.url },
        ...{ columns: ['country', 'count'], rows: [{ country: 'DE', count: 7 }], total: 1 },
      },
    });
  });

  it('is for Slack and Discord a text with a table', () => {
    const text = 'Fired: Few orders (Shop)\ncountry DE, count 7\n```country  count\nDE       7```\n';
    expect(parsed(slackBody(NOTICE))).to.deep.equal({ text: `${text}${NOTICE.url}` });
    const content = text.replace('```c', '```\nc').replace('7```', '7\n```');
    expect(parsed(discordBody(NOTICE))).to.deep.equal({ content: `${content}${NOTICE.url}`, allowed_mentions: { parse: [] } });
  }); // prettier-ignore

  it('mentions nobody and ends no code, whatever the data says', () => {
    const rude = { ...NOTICE, saw: '<!channel> & <@U1>', rows: [{ country: '```<!here>', count: 1 }] };
    const { text } = parsed(slackBody(rude));
    expect(text).to.include('&lt;!channel&gt; &amp; &lt;@U1&gt;').and.not.match(/<[!@]/);
    expect(String(text).split('```')).to.have.length(3);
    expect(String(parsed(discordBody(rude))['content']).split('```')).to.have.length(3);
  });

  it('fits, whatever there is to tell', () => {
    const rows = Array.from({ length: 50 }, () => ({ country: 'x'.repeat(9_000), count: 1 }));
    const long = { ...NOTICE, rows, total: 50, saw: 'y'.repeat(2_000), alert: { ...NOTICE.alert, description: 'z'.repeat(2_000) } };
    expect(String(parsed(discordBody(long))['content'])).to.have.length.below(2_001).and.match(/more rows\n```\nhttps:.*few$/);
    expect(String(parsed(slackBody(long))['text'])).to.have.length.below(4_001);
    expect(noticeTable(long, 10)).to.equal('');
  }); // prettier-ignore

  it('is a letter with the table, or with a dashboard beside it', () => {
    expect(letterOf(NOTICE)).to.deep.equal({
      ...{
        subject: 'Fired: Few orders (Shop)',
        paragraphs: ['country DE, count 7'],
        table: 'country  count\nDE       7',
      },
      link: { label: 'Look at the alert', href: NOTICE.url },
    });
    expect(letterOf({ ...NOTICE, kind: 'over', columns: [], rows: [] }).subject).to.equal('Over: Few orders (Shop)');
  });
});
