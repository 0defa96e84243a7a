import { parseArgs } from 'node:util';
import type { Configuration } from '../../domain/configuration/configuration.ts';
import {
  buildMemoryIndexes,
  dropMemoryIndexes,
  INDEX_FROM_VECTORS,
  listCollections,
  type MemoryIndexUrls,
} from '../memory-indexes.ts';
import { databaseOf } from '../local-stack.ts';
import { runCommand } from './run-command.ts';

const USAGE = `Usage: npm run memory:index -- [build | drop | status] [--collection=<id>] [--from=<vectors>]
  build (where nothing is named): of each collection of at least ${INDEX_FROM_VECTORS} vectors, of --from, or of --collection alone
  drop: every index, or that of --collection
  status: the collections with their sizes`;

/** `npm run memory:index`: indexes over the vectors and the words of large collections. See docs/memory.md. */
await runCommand(async (configuration) => {
  const { verb, collection, from } = readArguments(process.argv.slice(2));
  const urls = urlsOf(configuration);
  const lines: string[] = [];
  if (verb !== 'drop' && collection !== null) await requireCollection(urls, collection);
  if (verb === 'drop') await dropMemoryIndexes(urls, collection, (line) => lines.push(line));
  if (verb === 'build') {
    await buildMemoryIndexes(
      urls,
      ({ id, vectors }) => (collection === null ? vectors >= from : id === collection),
      (line) => console.log(line),
    );
  }
  for (const { id, vectors, dimensions, ...has } of await listCollections(urls.applicationUrl)) {
    const parts = [...(has.isIndexed ? ['vectors'] : []), ...(has.areWordsIndexed ? ['words'] : [])];
    const indexed = parts.length === 0 ? 'without an index' : `${parts.join(' and ')} indexed`;
    lines.push(`${id}: ${vectors} vectors of ${dimensions} dimensions, ${indexed}.`);
  }
  return lines.length === 0 ? 'There is no collection.' : lines.join('\n');
});

function readArguments(args: string[]): { verb: string; collection: string | null; from: number } {
  const options = { collection: { type: 'string' }, from: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [verb = 'build', ...others] = positionals;
  const from = Number(values.from ?? INDEX_FROM_VECTORS);
  if (!['build', 'drop', 'status'].includes(verb) || others.length > 0 || !Number.isInteger(from) || from < 0) {
    throw new Error(USAGE);
  }
  return { verb, collection: values.collection ?? null, from };
}

async function requireCollection({ applicationUrl }: MemoryIndexUrls, wanted: string): Promise<void> {
  if ((await listCollections(applicationUrl)).some(({ id }) => id === wanted)) return;
  throw new Error(`There is no collection ${wanted}.`);
}

function urlsOf(configuration: Configuration<'setup'>): MemoryIndexUrls {
  const { applicationUrl, ownerUrl, dataDir } = databaseOf(configuration);
  if (dataDir !== null && ownerUrl === null)
    throw new Error('Set DATABASE_URL and MIGRATION_DATABASE_URL, which owns the tables.');
  return { applicationUrl, ownerUrl: ownerUrl ?? applicationUrl };
}
