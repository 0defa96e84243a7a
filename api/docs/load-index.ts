import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { DocsIndex } from '../../domain/docs/content.ts';
import { DocsSearch } from '../../domain/docs/search.ts';

/** Tests run the source, after the build. */
const FOLDER = new URL(import.meta.url.endsWith('.ts') ? '../../dist/docs/' : '../../docs/', import.meta.url);

const read = async (name: string): Promise<string> => readFile(fileURLToPath(new URL(name, FOLDER)), 'utf8');

export async function loadDocsIndex(): Promise<DocsIndex> {
  return JSON.parse(await read('index.json')) as DocsIndex;
}

export async function loadDocsSearch(): Promise<DocsSearch> {
  return DocsSearch.load(await read('search.json'));
}
