import { escapeMarkup } from '../../domain/markup-characters.ts';

/** What a page may use of HTML beside Markdown. It is on GitHub's own list too. */
const TAG = /^<\/?(?:br|details|em|kbd|p|picture|strong|sub|summary|sup)\s*\/?>$/i;

/** The HTML in a page: comments are left out, the tags above stand, and the rest is shown as text. Nothing else can come in by a description. */
export function ownMarkup(html: string): string {
  const shown = html.replaceAll(/<!--[^]*?-->\n?/g, '');
  return shown
    .split(/(<[^<>]*>)/)
    .map((part) => (TAG.test(part) ? part : escapeMarkup(part)))
    .join('');
}
