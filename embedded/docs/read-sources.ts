import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { PageType, SourcePage } from '../../domain/docs/content.ts';

const TYPE_OF_FOLDER: Readonly<Record<string, PageType>> = {
  adr: 'adr',
  cookbook: 'cookbook',
  howto: 'howto',
  quickstarts: 'quickstart',
  reference: 'reference',
};

/** The pages that are files: those below `docs`, and the project's README as the home page where `docs` has no index. */
export function readSources(root: string): SourcePage[] {
  const files = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file.split(path.sep).join('/')}`)
    .toSorted();
  if (!files.some((file) => routeOf(file) === '/') && existsSync(path.join(root, 'README.md')))
    files.unshift('README.md');
  return files.map((source) => ({
    route: routeOf(source),
    source,
    markdown: readFileSync(path.join(root, source), 'utf8').replaceAll('\r\n', '\n'),
    type: typeOf(source),
  }));
}

/** The file below `docs` without `.md`. An index or a README is the page of its folder; the project's own is `/`. */
export function routeOf(source: string): string {
  const below = source.replace(/^docs\//, '').replace(/\.md$/, '');
  const route = below.replace(/(^|\/)(README|index)$/, '');
  return `/${route}`;
}

function typeOf(source: string): PageType {
  const [, folder = ''] = source.split('/');
  const byFolder = TYPE_OF_FOLDER[folder];
  if (byFolder !== undefined) return byFolder;
  return /^docs\/quickstart(-[\w-]+)?\.md$/.test(source) ? 'quickstart' : 'guide';
}
