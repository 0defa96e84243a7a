import GithubSlugger from 'github-slugger';
import MarkdownIt, { type MarkdownIt as Markdown, type RendererRule, type Token } from 'markdown-it';
import type { Heading, RenderedPage } from '../../domain/docs/content.ts';
import { addCallouts } from './callouts.ts';
import { createHighlight, type Highlight } from './highlight.ts';
import { ownMarkup } from './own-markup.ts';

interface Env extends Record<PropertyKey, unknown> {
  headings: Heading[];
}

let renderer: Promise<Markdown> | undefined;

/**
 * Renders Markdown as GitHub reads it (GFM) to HTML without scripts or styles of its own, at build time only. Links are resolved already,
 * with the marks of domain/docs/content.ts in front.
 */
export async function renderMarkdown(markdown: string): Promise<RenderedPage> {
  renderer ??= createRenderer();
  const env: Env = { headings: [] };
  return { html: (await renderer).render(markdown, env), headings: env.headings };
}

async function createRenderer(): Promise<Markdown> {
  const markdown = MarkdownIt({ html: true, linkify: true });
  // GitHub links addresses with a scheme, not everything that looks like a host name.
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  const { normalizeLink } = markdown;
  // A mark would be percent-encoded.
  markdown.normalizeLink = (link) =>
    /^[\u{E000}\u{E001}]/u.test(link) ? `${link[0]}${normalizeLink(link.slice(1))}` : normalizeLink(link);
  addHeadings(markdown);
  addPictures(markdown);
  addTables(markdown);
  addCode(markdown, await createHighlight());
  addCallouts(markdown);
  const html: RendererRule = (tokens, index) => ownMarkup(tokens[index]?.content ?? '');
  addRules(markdown, { html_block: html, html_inline: html });
  return markdown;
}

function addRules(markdown: Markdown, rules: Record<string, RendererRule>): void {
  Object.assign(markdown.renderer.rules, rules);
}

function addHeadings(markdown: Markdown): void {
  const { escapeHtml } = markdown.utils;
  markdown.core.ruler.push('heading_anchors', (state) => {
    const slugger = new GithubSlugger();
    const { headings } = state.env as Env;
    state.tokens.forEach((token, index) => {
      if (token.type !== 'heading_open') return;
      const text = textOf(state.tokens[index + 1]);
      const anchor = slugger.slug(text);
      token.attrSet('id', anchor);
      headings.push({ level: Number(token.tag.slice(1)), text, anchor });
    });
  });
  addRules(markdown, {
    heading_close: (tokens, index) => {
      const [open, content, close] = tokens.slice(index - 2, index + 1);
      if (close?.tag === 'h1') return '</h1>\n';
      const label = `Link to: ${escapeHtml(textOf(content))}`;
      return ` <a class="anchor" href="#${open?.attrGet('id')}" aria-label="${label}">#</a></${close?.tag}>\n`;
    },
  });
}

function textOf(token: Token | undefined): string {
  const children = token?.children ?? [];
  return children.map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : '')).join('');
}

function addPictures(markdown: Markdown): void {
  addRules(markdown, {
    image: (tokens, index, options, env, renderer) => {
      const token = tokens[index];
      token?.attrSet('alt', renderer.renderInlineAsText(token.children ?? [], options, env));
      token?.attrSet('loading', 'lazy');
      return renderer.renderToken(tokens, index, options);
    },
  });
}

/** A wide table scrolls in a box of its own, which the keyboard reaches; the page does not scroll sideways. */
function addTables(markdown: Markdown): void {
  const { escapeHtml } = markdown.utils;
  markdown.core.ruler.push('empty_corners', ({ tokens }) => {
    tokens.forEach((open, index) => {
      const [content, close] = tokens.slice(index + 1, index + 3);
      // An empty cell in a corner heads nothing.
      if (open.type === 'th_open' && close !== undefined && textOf(content) === '') open.tag = close.tag = 'td';
    });
  });
  addRules(markdown, {
    table_open: (tokens, index) => {
      const rest = tokens.slice(index);
      const head = rest.slice(
        0,
        rest.findIndex(({ type }) => type === 'thead_close'),
      );
      const names = head.filter(({ type }) => type === 'inline').map(textOf);
      const label = names.filter((name) => name !== '').join(', ');
      return `<div class="table" role="group" tabindex="0" aria-label="Table: ${escapeHtml(label)}">\n<table>\n`;
    },
    table_close: () => '</table>\n</div>\n',
    // Without the alignment, which is an attribute `style`: the policy of the pages forbids it.
    th_open: (tokens, index) => (tokens[index]?.tag === 'td' ? '<td>' : '<th scope="col">'),
    td_open: () => '<td>',
  });
}

function addCode(markdown: Markdown, highlight: Highlight): void {
  const { escapeHtml } = markdown.utils;
  const block = (code: string, language: string): string => {
    const name = language === '' ? '' : ` class="language-${escapeHtml(language)}"`;
    // A drawing keeps its lines: where the screen is narrow it scrolls, which the keyboard must reach.
    const open = language === 'text' ? '<pre class="drawing" tabindex="0">' : '<pre>';
    return `${open}<code${name}>${highlight(code.replace(/\n$/, ''), language)}\n</code></pre>\n`;
  };
  addRules(markdown, {
    fence: (tokens, index) => {
      const { content = '', info = '' } = tokens[index] ?? {};
      return block(content, info.trim().split(/\s+/)[0] ?? '');
    },
    code_block: (tokens, index) => block(tokens[index]?.content ?? '', ''),
  });
}
