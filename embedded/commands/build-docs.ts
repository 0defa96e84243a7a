import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatedPages } from '../../api/docs/generated-pages.ts';
import { NAVIGATION } from '../../docs/navigation.ts';
import { searchIndexOf } from '../../domain/docs/search.ts';
import { buildIndex } from '../docs/build-index.ts';
import { lastModified } from '../docs/last-modified.ts';
import { readSources } from '../docs/read-sources.ts';
import { projectRoot } from '../../process/project-root.ts';

/** The last part of `npm run build`: builds the documentation that the API serves, from `docs/` and from what the code declares. */
const root = projectRoot();
const modified = lastModified(root, ['docs', 'README.md']);
const index = await buildIndex([...readSources(root), ...generatedPages()], NAVIGATION, modified);

const folder = path.join(root, 'dist', 'docs');
mkdirSync(folder, { recursive: true });
cpSync(path.join(root, 'docs', 'images'), path.join(folder, 'images'), { recursive: true });
write('index.json', JSON.stringify(index));
write('search.json', searchIndexOf(index.pages));

/** A process that starts meanwhile reads the old file or the new one. */
function write(name: string, text: string): void {
  const file = path.join(folder, name);
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
