/** Which of two forms a reader wants (RFC 9110, section 12.5). */

const MARKDOWN_TYPES = ['text/markdown', 'text/x-markdown'];
/** No request of ours has more; what follows is not looked at. */
const PARTS_MAX = 50;

/** Whether to send Markdown: iff its q is above 0 and not below that of HTML. Wildcards name no Markdown. */
export function prefersMarkdown(accept: string): boolean {
  const accepted = parseAccepted(accept);
  const best = (types: readonly string[]): number =>
    Math.max(0, ...accepted.filter(({ value }) => types.includes(value)).map(({ q }) => q));
  const markdown = best(MARKDOWN_TYPES);
  return markdown > 0 && markdown >= best(['text/html']);
}

export type Encoding = 'br' | 'gzip' | 'identity';

/** The smallest form that the reader takes. */
export function preferredEncoding(acceptEncoding: string): Encoding {
  const accepted = parseAccepted(acceptEncoding);
  const qualityOf = (encoding: string): number =>
    (accepted.find(({ value }) => value === encoding) ?? accepted.find(({ value }) => value === '*'))?.q ?? 0;
  const [br, gzip] = [qualityOf('br'), qualityOf('gzip')];
  if (br > 0 && br >= gzip) return 'br';
  return gzip > 0 ? 'gzip' : 'identity';
}

function parseAccepted(header: string): { value: string; q: number }[] {
  return header
    .split(',', PARTS_MAX)
    .map((part) => {
      const [value = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
      const [, written] = /^q\s*=\s*(.*)$/.exec(parameters.find((each) => /^q\s*=/.test(each)) ?? '') ?? [];
      const q = written === undefined ? 1 : Number(written);
      return { value, q: Number.isFinite(q) ? Math.min(1, Math.max(0, q)) : 0 };
    })
    .filter(({ value }) => value !== '');
}
