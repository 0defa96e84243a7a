import type { Configuration } from '../../domain/configuration/configuration.ts';
import { buildMemoryIndexes, dropMemoryIndexes, listVectorIndexes, type MemoryIndexUrls } from '../memory-indexes.ts';
import { databaseOf } from '../local-stack.ts';
import { runCommand } from './run-command.ts';

const USAGE = `Usage: npm run memory:index -- [build | drop | status]
  build (where nothing is named): an index for each dimensions that memories have vectors of
  drop: every index
  status: how many vectors of which dimensions there are`;

/** `npm run memory:index`: indexes over the vectors of memories. See docs/memory.md. */
await runCommand(USAGE, { allowPositionals: true }, async (configuration, { positionals }) => {
  const [verb = 'build', ...others] = positionals;
  if (!['build', 'drop', 'status'].includes(verb) || others.length > 0) throw new Error(USAGE);
  const urls = urlsOf(configuration);
  const lines: string[] = [];
  if (verb === 'drop') await dropMemoryIndexes(urls, (line) => lines.push(line));
  if (verb === 'build') await buildMemoryIndexes(urls, (line) => console.log(line));
  for (const { dimensions, vectors, isIndexed } of await listVectorIndexes(urls)) {
    lines.push(`${dimensions} dimensions: ${vectors} vectors, ${isIndexed ? 'indexed' : 'without an index'}.`);
  }
  return lines.length === 0 ? 'There is no memory.' : lines.join('\n');
});

function urlsOf(configuration: Configuration<'setup'>): MemoryIndexUrls {
  const { applicationUrl, ownerUrl, dataDir } = databaseOf(configuration);
  if (dataDir !== null && ownerUrl === null)
    throw new Error('Set DATABASE_URL and MIGRATION_DATABASE_URL, which owns the tables.');
  return { applicationUrl, ownerUrl: ownerUrl ?? applicationUrl };
}
