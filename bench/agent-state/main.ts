import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { Database } from '../../db/client.ts';
import { buildMemoryIndexes } from '../../embedded/memory-indexes.ts';
import { embeddingModelLookup } from '../../process/embedding-model.ts';
import { fetchEmbeddingModel } from '../../embedded/fetch-embedding-model.ts';
import { installVectorExtension } from '../../embedded/vector-extension.ts';
import { type BenchDatabase, startBenchDatabase } from '../databases.ts';
import { startModule } from '../invoke/child.ts';
import { type Latencies, measureCalls, summarize } from '../latencies.ts';
import { describeRun, thisMachine } from '../machine.ts';
import { writeResult } from '../results.ts';
import { localEmbedder } from './embedder.ts';
import { cacheOperations, type Operation, sessionOperations, spanOperations } from './operations.ts';
import { readOptions } from './options.ts';
import { plantMemories, plantWorkspace } from './plant.ts';
import { callerOf } from './post.ts';
import { addHalfVectors, indexHalfVectors, searchOperations, type VectorMeans } from './search-operations.ts';
import { openTexts } from './texts.ts';

/** `npm run bench:agent-state`. See docs/performance-agent-state.md. */
const WARM_UP_CALLS = 8;

interface Measurement {
  title: string;
  service: Latencies;
  plain: Latencies;
  aimP95Ms: number | null;
}

const stops: (() => Promise<void> | void)[] = [];
const options = readOptions(process.argv.slice(2));
const folder = mkdtempSync(path.join(tmpdir(), 'bench-agent-state-'));
try {
  const takenAt = new Date().toISOString();
  const text = await measureAll(takenAt);
  process.stdout.write(`\n${text}`);
  if (options.write) writeResult('agent-state', takenAt, text);
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measureAll(takenAt: string): Promise<string> {
  const heading = describeRun({ takenAt, machine: thisMachine() });
  const withoutExtension = await installVectorExtension(path.join(folder, 'postgres')).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const database = await startBenchDatabase(folder);
  stops.push(() => database.stop());
  const { results, notes } = await measureOn(database, withoutExtension === null);
  return render({ heading, results, notes, withoutExtension });
}

async function measureOn(
  { databaseUrl, ownerUrl }: BenchDatabase,
  hasExtension: boolean,
): Promise<{ results: Measurement[]; notes: string[] }> {
  const db = new Database({ url: databaseUrl, applicationName: 'bench', poolMax: 4 });
  stops.push(() => db.close());
  const owner = new Client({ connectionString: ownerUrl });
  await owner.connect();
  stops.push(() => owner.end());
  const missing = await fetchEmbeddingModel(embeddingModelLookup(null));
  if (missing !== null) throw new Error(`the local model could not be fetched: ${missing}`);
  const embedder = localEmbedder();
  stops.push(() => embedder.close());
  const service = await startModule('../agent-state/service.js', [databaseUrl]);
  stops.push(() => service.child.stop());
  const texts = openTexts();
  const agentOf = ({ key, tenant: { workspaceId } }: { key: string; tenant: { workspaceId: string } }) => ({
    call: callerOf(service.ready.port, key),
    owner,
    embedder,
    workspaceId,
    texts,
  });
  const results: Measurement[] = [];
  const notes: string[] = [];
  const plain = agentOf(await plantWorkspace(db, 'Sessions'));
  const largest = Math.max(...options.memories);
  for (const operations of options.isIndexedOnly ? [] : [sessionOperations, cacheOperations, spanOperations]) {
    for (const operation of await operations(plain)) results.push(await measure(operation));
  }
  for (const memories of options.isIndexedOnly ? [largest] : options.memories) {
    const startedAt = performance.now();
    const searched = await plantMemories({ db, owner, embedder, texts }, memories);
    console.log(`  ${memories} memories stored in ${seconds(startedAt)} s`);
    const agent = agentOf(searched);
    const searches = async (means: VectorMeans): Promise<void> => {
      if (options.isIndexedOnly && !means.isIndexed) return;
      for (const operation of await searchOperations(agent, searched, means)) results.push(await measure(operation));
    };
    await searches({ hasExtension: false, isIndexed: false });
    if (!hasExtension) continue;
    await owner.query('CREATE EXTENSION vector');
    const { dimensions } = await embedder.model({ workspaceId: agent.workspaceId });
    await addHalfVectors(owner, searched, dimensions);
    await searches({ hasExtension: true, isIndexed: false });
    if (memories === largest) {
      const urls = { ownerUrl, applicationUrl: databaseUrl };
      await buildMemoryIndexes(urls, (line) => notes.push(line));
      await indexHalfVectors(owner, searched);
      await searches({ hasExtension: true, isIndexed: true });
    }
    await owner.query('DROP EXTENSION vector CASCADE');
  }
  return { results, notes };
}

/** The sides take turns, and each goes first equally often. */
async function measure({ title, service, plain, aimP95Ms }: Operation): Promise<Measurement> {
  const sides = { service: [] as number[][], plain: [] as number[][] };
  await measureCalls(service, WARM_UP_CALLS);
  await measureCalls(plain, WARM_UP_CALLS);
  for (let round = 0; round < options.rounds; round++) {
    const order = round % 2 === 0 ? (['service', 'plain'] as const) : (['plain', 'service'] as const);
    for (const side of order) {
      sides[side].push(await measureCalls(side === 'service' ? service : plain, options.callsPerRound));
    }
  }
  const measured = {
    title,
    service: summarize({ rounds: sides.service }),
    plain: summarize({ rounds: sides.plain }),
    aimP95Ms: aimP95Ms ?? null,
  };
  console.log(`  ${row(measured)}`);
  return measured;
}

function render(result: {
  heading: string;
  results: readonly Measurement[];
  notes: readonly string[];
  withoutExtension: string | null;
}): string {
  return `# Agent state: the service, and a plain statement that does the same

${result.heading}
${options.rounds} rounds of ${options.callsPerRound} calls for each side, in turn, one at a time. The service is called over HTTP, with its key, its scopes, its budgets and row-level security, and embeds
each query; the plain side is one prepared statement of the tables' owner, with the vector at hand. Client, API and PostgreSQL share the cores.

| operation | service p50 | p95 | plain p50 | p95 | p50, times plain | aim of the service's p95 |
| --- | --- | --- | --- | --- | --- | --- |
${result.results.map(row).join('\n')}
${result.withoutExtension === null ? '' : `\nNot measured with pgvector: ${result.withoutExtension.split('\n').join(' ')}\n`}${result.notes.map((note) => `\n${note}\n`).join('')}`;
}

function row({ title, service, plain, aimP95Ms }: Measurement): string {
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  const aim = aimP95Ms === null ? '' : `${aimP95Ms} ms: ${service.p95Ms < aimP95Ms ? 'met' : '**missed**'}`;
  const times = (service.p50Ms / plain.p50Ms).toFixed(1);
  return `| ${title} | ${ms(service.p50Ms)} | ${ms(service.p95Ms)} | ${ms(plain.p50Ms)} | ${ms(plain.p95Ms)} | ${times} | ${aim} |`;
}

function seconds(startedAt: number): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(1);
}
