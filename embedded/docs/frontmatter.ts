import { load } from 'js-yaml';

export interface Split {
  frontmatter: Record<string, unknown>;
  /** The block as it stands, with both lines of `---`; null where there is none. */
  block: string | null;
  body: string;
}

/** Separates the frontmatter block from a page. @throws when the block is not a YAML mapping. */
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

/** Every JSON string is a YAML string. */
export function frontmatterBlock(members: Record<string, string | null>): string {
  const lines = Object.entries(members).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  return ['---', ...lines, '---'].join('\n');
}
