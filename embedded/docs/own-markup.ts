import { escapeMarkup } from '../../domain/markup-characters.ts';

const TAG = /^<\/?(?:br|details|em|kbd|p|picture|strong|sub|summary|sup)\s*\/?>$/i;

/** Removes HTML comments, lets GitHub's common tags pass and escapes everything else: a description cannot inject markup. */
export function ownMarkup(html: string): string {
  const shown = html.replaceAll(/<!--[^]*?-->\n?/g, '');
  return shown
    .split(/(<[^<>]*>)/)
    .map((part) => (TAG.test(part) ? part : escapeMarkup(part)))
    .join('');
}
