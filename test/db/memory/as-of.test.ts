import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database, EnvironmentTransaction } from '../../../db/client.ts';
import { createCollection } from '../../../db/memory/collections.ts';
import { getMemory, listMemories } from '../../../db/memory/queries.ts';
import type { MemoryRecord } from '../../../db/memory/records.ts';
import { matchingMemories } from '../../../db/memory/matching-memories.ts';
import { nearestMemories } from '../../../db/memory/nearest-memories.ts';
import { storeMemories, supersedeMemory } from '../../../db/memory/changes.ts';
import type { MemoryMoment } from '../../../domain/memory/memories.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { fetchVectorExtension, withVectorExtension } from '../../harness/vector-extension.ts';

const HISTORIES = 500;
const EXTENSION_HISTORIES = 40;
const HISTORIES_OF_A_RUN = 5;
const EMBEDDING = { model: 'fake', dimensions: 4 };
const MINUTE_MS = 60_000;

/** The plain model: a version as it was recorded, and nothing of the database's columns. */
interface Version {
  id: string;
  recordedMs: number;
  fromMs: number;
  toMs: number | null;
}

/** The last recorded version of those that are recorded by then and begin to hold by then counts, until its own end. */
function holdsAt(chain: readonly Version[], recordedByMs: number, atMs: number): string | null {
  const candidates = chain.filter(({ recordedMs, fromMs }) => recordedMs <= recordedByMs && fromMs <= atMs);
  const last = candidates.reduce<Version | null>(
    (latest, one) => (latest === null || one.recordedMs > latest.recordedMs ? one : latest),
    null,
  );
  return last !== null && (last.toMs === null || last.toMs > atMs) ? last.id : null;
}

const extension = await fetchVectorExtension();

describe('memories as of a moment', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database.close();
    if (extension.reason === null) extension.remove();
  });

  // Minutes from now: past, present and future. An edit may hold from before the one that it supersedes.
  const minutes = fc.integer({ min: -6, max: 6 });
  const edit = fc.record({
    from: fc.option(minutes, { nil: null }),
    lasts: fc.option(fc.integer({ min: 1, max: 8 }), { nil: null }),
  });
  const histories = fc.array(fc.array(edit, { minLength: 1, maxLength: 6 }), {
    minLength: HISTORIES_OF_A_RUN,
    maxLength: HISTORIES_OF_A_RUN,
  });

  it(`are those of a plain model, over ${HISTORIES} random histories`, async () => {
    const asked = await againstTheModel(database.db, HISTORIES, false);
    expect(asked).toBeGreaterThan(HISTORIES);
  });

  it.skipIf(extension.reason !== null)(
    `are the same where pgvector finds them, over ${EXTENSION_HISTORIES} (${extension.reason ?? 'pgvector is there'})`,
    async () => {
      const db = await withVectorExtension(database, extension);
      try {
        expect(await againstTheModel(db, EXTENSION_HISTORIES, true)).toBeGreaterThan(EXTENSION_HISTORIES);
      } finally {
        await db.close();
      }
    },
  );

  /** Compares, moment by moment, and answers how often. */
  async function againstTheModel(db: Database, count: number, hasExtension: boolean): Promise<number> {
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (edits) => {
        await db
          .withEnvironment(database.tenant, async (tx) => {
            const { id } = await createCollection(tx, { name: 'history', description: null, embedding: EMBEDDING });
            const chains: Version[][] = [];
            for (const history of edits) chains.push(await write(tx, id, history));
            for (const atMs of momentsOf(chains)) asked += await compare(tx, { id, hasExtension }, chains, atMs);
            throw new Rollback();
          })
          .catch((error: unknown) => {
            if (!(error instanceof Rollback)) throw error;
          });
      }),
      { numRuns: count / HISTORIES_OF_A_RUN },
    );
    return asked;
  }

  class Rollback extends Error {}

  async function write(
    tx: EnvironmentTransaction,
    collectionId: string,
    edits: readonly { from: number | null; lasts: number | null }[],
  ): Promise<Version[]> {
    const chain: Version[] = [];
    for (const { from, lasts } of edits) {
      const validFrom = from === null ? null : new Date(Date.now() + from * MINUTE_MS);
      const validTo = lasts === null ? null : new Date((validFrom?.getTime() ?? Date.now()) + lasts * MINUTE_MS);
      const newest = chain.at(-1);
      const vector = Float32Array.from([1, 0, 0, 0]);
      const content = `version ${chain.length + 1}`;
      const [id = ''] =
        newest === undefined
          ? await storeMemories(tx, collectionId, [{ ...PLAIN, content, validFrom, validTo, vector }])
          : [
              await supersedeMemory(
                tx,
                newest.id,
                { content, validTo, ...(validFrom === null ? {} : { validFrom }) },
                { ...EMBEDDING, vectors: [vector] },
              ),
            ];
      const stored = (await getMemory(tx, id)) as MemoryRecord;
      const fromMs = stored.validFrom.getTime();
      chain.push({ id, recordedMs: stored.createdAt.getTime(), fromMs, toMs: validTo?.getTime() ?? null });
    }
    return chain;
  }

  /** Just before, at and after everything that happens. */
  function momentsOf(chains: readonly Version[][]): number[] {
    const events = chains.flat().flatMap(({ recordedMs, fromMs, toMs }) => [recordedMs, fromMs, toMs ?? fromMs]);
    const around = [...new Set(events.flatMap((ms) => [ms - 1, ms, ms + 1]))];
    // A few of them, spread over all: each asks for every chain at once.
    const step = Math.max(1, Math.floor(around.length / 8));
    return around.sort((a, b) => a - b).filter((_, index) => index % step === 0);
  }

  async function compare(
    tx: EnvironmentTransaction,
    { id: collectionId, hasExtension }: { id: string; hasExtension: boolean },
    chains: readonly Version[][],
    atMs: number,
  ): Promise<number> {
    const at = new Date(atMs);
    const expectedBy = (recordedByMs: number): string[] =>
      chains.flatMap((chain) => holdsAt(chain, recordedByMs, atMs) ?? []).sort();
    const wanted = (moment: MemoryMoment) => ({ collectionIds: [collectionId], filter: {}, moment });
    const listed = async (moment: MemoryMoment): Promise<MemoryRecord[]> =>
      (await listMemories(tx, wanted(moment), { limit: 100, offset: 0 })).items;
    const ids = (found: readonly { id: string }[]): string[] => found.map(({ id }) => id).sort();

    const asOf = await listed({ asOf: at });
    expect(ids(asOf)).toEqual(expectedBy(atMs));
    expect(ids(await listed({ validAt: at }))).toEqual(expectedBy(Infinity));
    // Both kinds of search see the same.
    const query = Float32Array.from([1, 0, 0, 0]);
    const then = wanted({ asOf: at });
    const nearest = await nearestMemories(tx, then, query, { hasExtension });
    expect(ids(nearest)).toEqual(expectedBy(atMs));
    expect(ids(await matchingMemories(tx, then, 'version'))).toEqual(expectedBy(atMs));
    // A record is shown as it was recorded then: its next version, and the end that follows from it, only where they were there.
    for (const memory of asOf) {
      const chain = chains.find((versions) => versions.some(({ id }) => id === memory.id)) ?? [];
      const place = chain.findIndex(({ id }) => id === memory.id);
      const later = chain.slice(place + 1).filter(({ recordedMs }) => recordedMs <= atMs);
      expect(memory.supersededBy).toBe(later[0]?.id ?? null);
      const ends = [chain[place]?.toMs ?? Infinity, ...later.map(({ fromMs }) => fromMs)];
      expect(memory.validTo?.getTime() ?? Infinity).toBe(Math.min(...ends));
    }
    return chains.length;
  }
});

const PLAIN = {
  kind: 'fact',
  userId: null,
  agentId: null,
  sessionId: null,
  source: null,
  metadata: {},
  expiresAt: null,
} as const;
