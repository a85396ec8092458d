import fc from 'fast-check';
import { html } from './html.js';

describe('html', () => {
  it('escapes every value, in text and in attributes', () => {
    const evil = `"><script>alert('&')</script>`;

    expect(String(html`<a href="${evil}">${[evil, 1, undefined]}</a>`)).toBe(
      '<a href="&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;1</a>',
    );
  });

  it('leaves nested HTML unchanged and never lets a value add markup', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const text = String(html`<p>${html`<b>${value}</b>`}</p>`);

        expect(text.replace(/&(amp|lt|gt|quot|#39);/g, '').match(/[<>"']/g)).toHaveLength(8);
      }),
    );
  });
});
