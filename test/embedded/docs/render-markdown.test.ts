import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../embedded/docs/render-markdown.ts';
import { BASE_MARK } from '../../../domain/docs/content.ts';

const htmlOf = async (markdown: string): Promise<string> => (await renderMarkdown(markdown)).html;

describe('headings', () => {
  test('have the anchors that GitHub makes, the second of one name a number', async () => {
    const { headings, html } = await renderMarkdown(
      '# The `key` of [a](/b)\n\n## Dry run\n\n## Dry run\n\n### 1. C & "d"\n',
    );
    expect(headings).toEqual([
      { level: 1, text: 'The key of a', anchor: 'the-key-of-a' },
      { level: 2, text: 'Dry run', anchor: 'dry-run' },
      { level: 2, text: 'Dry run', anchor: 'dry-run-1' },
      { level: 3, text: '1. C & "d"', anchor: '1-c--d' },
    ]);
    for (const { anchor } of headings) expect(html).toContain(` id="${anchor}"`);
    expect(html).toContain(
      '<a class="anchor" href="#1-c--d" aria-label="Link to: 1. C &amp; &quot;d&quot;">#</a></h3>',
    );
  });
});

describe('code', () => {
  test('has classes for colours and no style, and its characters are those of the source', async () => {
    const code = `curl -d '{"a": "<b> & c"}' $BASE # note`;
    const html = await htmlOf(`\`\`\`sh\n${code}\n\`\`\`\n`);
    expect(html).toMatch(/^<pre><code class="language-sh"><span class="tf">curl <\/span>/);
    expect(html).toContain('<span class="tc"># note</span>');
    expect(html).not.toContain('style=');
    const shown = html
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
    expect(shown).toBe(`${code}\n\n`);
  });

  test('of a language that nobody knows is shown as it is, and a drawing keeps its lines', async () => {
    expect(await htmlOf('```mermaid\na --> b\n```\n')).toBe(
      '<pre><code class="language-mermaid">a --&gt; b\n</code></pre>\n',
    );
    expect(await htmlOf('```text\n a ──▶ b\n```\n')).toContain('<pre class="drawing" tabindex="0">');
  });
});

test('a table stands in a box that the keyboard reaches, and has no style', async () => {
  const html = await htmlOf('| | Status |\n|---|--:|\n| `a\\|b` | ~~200~~ |\n');
  expect(html).toContain('<div class="table" role="group" tabindex="0" aria-label="Table: Status">');
  expect(html).toContain('<td></td>\n<th scope="col">Status</th>');
  expect(html).toContain('<td><code>a|b</code></td>\n<td><s>200</s></td>');
  expect(html).not.toContain('style=');
});

test('a quotation that begins with a kind is a callout, any other is a quotation', async () => {
  expect(await htmlOf('> [!WARNING]\n> Look **out**.\n')).toBe(
    '<div class="callout warning" role="note">\n<p class="kind">Warning</p>\n<p>Look <strong>out</strong>.</p>\n</div>\n',
  );
  expect(await htmlOf('> [!OTHER]\n> a\n')).toMatch(/^<blockquote>/);
});

describe('HTML in a page', () => {
  test.each([
    ['a <script>x</script> b', '<p>a &lt;script&gt;x&lt;/script&gt; b</p>\n'],
    ['<img src=x onerror=y>\n', '&lt;img src=x onerror=y&gt;\n'],
    ['a<br>b <!-- c -->', '<p>a<br>b </p>\n'],
    ['<!-- Generated. -->\n', ''],
    ['<p onclick="x">a</p>\n', '&lt;p onclick="x"&gt;a</p>\n'],
    ['[a](javascript:alert(1))', '<p>[a](javascript:alert(1))</p>\n'],
  ])('is text, but for a few tags without attributes: %s', async (markdown, html) => {
    expect(await htmlOf(markdown)).toBe(html);
  });
});

test('a link keeps the mark that stands for the address of the documentation', async () => {
  expect(await htmlOf(`[a](${BASE_MARK}/docs/a#b)`)).toBe(`<p><a href="${BASE_MARK}/docs/a#b">a</a></p>\n`);
});
