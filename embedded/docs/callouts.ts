import type { MarkdownIt, Token } from 'markdown-it';

/** GitHub's callouts: a quotation that begins with a line such as `[!WARNING]`. */
const KINDS: Readonly<Record<string, string>> = {
  NOTE: 'Note',
  TIP: 'Tip',
  IMPORTANT: 'Important',
  WARNING: 'Warning',
  CAUTION: 'Caution',
};
const MARK = /^\[!([A-Z]+)\]$/;

export function addCallouts(markdown: MarkdownIt): void {
  markdown.core.ruler.push('callouts', ({ tokens }) => {
    tokens.forEach((open, index) => {
      const [paragraph, inline] = tokens.slice(index + 1, index + 3);
      const children = inline?.children ?? [];
      const kind = MARK.exec(children[0]?.content ?? '')?.[1] ?? '';
      const title = KINDS[kind];
      if (open.type !== 'blockquote_open' || paragraph?.type !== 'paragraph_open' || title === undefined) return;
      if (children.length > 1 && children[1]?.type !== 'softbreak') return;
      const close = tokens.slice(index).find((token) => isEndOf(open, token));
      if (close === undefined || inline === undefined) return;
      open.tag = close.tag = 'div';
      open.attrSet('class', `callout ${kind.toLowerCase()}`);
      open.attrSet('role', 'note');
      open.meta = { title };
      inline.children = children.slice(2);
    });
  });
  markdown.renderer.rules['blockquote_open'] = (tokens, index, options, _env, renderer) => {
    const title = tokens[index]?.meta?.['title'];
    const html = renderer.renderToken(tokens, index, options);
    return typeof title === 'string' ? `${html}<p class="kind">${title}</p>\n` : html;
  };
}

function isEndOf(open: Token, token: Token): boolean {
  return token.type === 'blockquote_close' && token.level === open.level;
}
