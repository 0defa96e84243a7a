import type { Heading, RenderedPage } from '../../domain/docs/content.ts';
import { escapeMarkup } from '../../domain/markup-characters.ts';

/**
 * The HTML of a page's Markdown, whose links are resolved already, and its headings with the anchors that the HTML has. At build time only.
 */
export async function renderMarkdown(markdown: string): Promise<RenderedPage> {
  return Promise.resolve({ html: `<pre>${escapeMarkup(markdown)}</pre>`, headings: headingsOf(markdown) });
}

function headingsOf(markdown: string): Heading[] {
  const taken = new Set<string>();
  const withoutCode = markdown.replaceAll(/^```[\s\S]*?^```/gm, '');
  return [...withoutCode.matchAll(/^(#{1,6}) (.+)$/gm)].map(([, signs = '', heading = '']) => {
    const text = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll('`', '')
      .trim();
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; taken.has(anchor); count++) anchor = `${slug}-${count}`;
    taken.add(anchor);
    return { level: signs.length, text, anchor };
  });
}
