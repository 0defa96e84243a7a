import { load } from 'js-yaml';

export interface Split {
  /** Empty where the page has none. */
  frontmatter: Record<string, unknown>;
  /** The block as it stands, with both lines of `---`; null where there is none. */
  block: string | null;
  body: string;
}

/** Takes the frontmatter block off a page. Throws where the block is no mapping in YAML. */
export function splitFrontmatter(markdown: string): Split {
  const [block, yaml] = /^---\n([^]*?)^---[ \t]*(?:\n|$)/m.exec(markdown) ?? [];
  if (block === undefined || !markdown.startsWith(block)) return { frontmatter: {}, block: null, body: markdown };
  const parsed = load(yaml ?? '');
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Error('the frontmatter is no mapping');
  }
  return {
    frontmatter: parsed as Record<string, unknown>,
    block: block.trimEnd(),
    body: markdown.slice(block.length).replace(/^\n+/, ''),
  };
}

/** The block of a page that was written without one. Every string of JSON is one of YAML. */
export function frontmatterBlock(members: Record<string, string | null>): string {
  const lines = Object.entries(members).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  return ['---', ...lines, '---'].join('\n');
}
