import { expect } from 'chai';
import fc from 'fast-check';
import { html } from '../../../lib/router/pages/html.ts';
import { anyCharacter } from '../../support/any-character.ts';

describe('html templates', () => {
  it('escape what is put into text and into attributes', () => {
    const hostile = `<script>alert("1")</script> & '`;
    const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;';
    expect(html`<p title="${hostile}">${hostile}</p>`.text).to.equal(`<p title="${escaped}">${escaped}</p>`);
  });

  it('keep markup of other templates, lists of it, numbers, and leave nothing out of order', () => {
    const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
    expect(html`${items}${3}${null}${false}`.text).to.equal('<li>a</li><li>&lt;b&gt;</li>3');
  });

  it('let no text out of the place where it stands', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const escaped = html`${text}`.text;
        expect(escaped).to.not.match(/[<>"']/);
        const back = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
        const read = escaped.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_all, name: keyof typeof back) => back[name]);
        expect(read).to.equal(text);
      }),
    );
  });

  it('escape text that looks as if it had been escaped', () => {
    expect(html`${'&lt;'}`.text).to.equal('&amp;lt;');
  });

  it('refuse an attribute whose value is not quoted', () => {
    expect(() => html`<a href=${'/x onclick=alert(1)'}>x</a>`).to.throw('without quotes');
  });
});
