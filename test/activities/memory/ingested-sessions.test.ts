import { expect, test } from 'vitest';
import pino from 'pino';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ingestMemoryPage } from '../../../activities/memory/ingest-page.ts';
import { splitInput } from '../../../activities/memory/split-input.ts';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { createCollection } from '../../../db/memory/collections.ts';
import { createMemoryJob, getMemoryJob } from '../../../db/memory/jobs.ts';
import { appendMessages } from '../../../db/sessions/messages.ts';
import { createSession } from '../../../db/sessions/sessions.ts';
import {
  type IngestTemplate,
  type MemoryJobRef,
  type MemoryJobStep,
  SESSION_BYTES_MAX,
} from '../../../domain/memory/memory-jobs.ts';
import type { ChatMessage } from '../../../domain/sessions/sessions.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { FakeEmbedder } from '../../harness/fake-embedder.ts';

/** What an ingest reads of a session, and how much that may be. */

const MESSAGE_BYTES = 60_000;
const NEW_SESSION = { name: null, userId: null, agentId: null, metadata: null, ttlSeconds: null };
const SAID = { name: null, toolCallId: null, toolCalls: null, metadata: null, tokens: 1 } as const;
const TEMPLATE: IngestTemplate = {
  kind: 'episode',
  userId: null,
  agentId: null,
  sessionId: null,
  metadata: {},
  expiresAt: null,
};

const transaction = <T>(work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> =>
  database.db.withEnvironment(database.tenant, work);

const database = await createTestDatabase();
const embedding = { model: 'fake', dimensions: 64 };
const made = await transaction((tx) => createCollection(tx, { name: 'of sessions', description: null, embedding }));
const collectionId = made.id;
const startIngest = async (sessionId: string): Promise<MemoryJobRef> => {
  const input = { sessionId, charactersMax: 100 };
  const { id: jobId } = await transaction((tx) =>
    createMemoryJob(tx, { kind: 'ingest', collectionId, filter: null, template: TEMPLATE, input }),
  );
  return { ...database.tenant, jobId, kind: 'ingest' };
};
const step = (ref: MemoryJobRef): Promise<MemoryJobStep> => {
  const deps = { db: database.db, embedder: new FakeEmbedder(), logger: pino({ level: 'silent' }) };
  return new MockActivityEnvironment().run(ingestMemoryPage(deps), ref);
};

test('refuses a session of more bytes than a job may read, also where they make no chunk', async () => {
  const { id: sessionId } = await transaction((tx) => createSession(tx, NEW_SESSION));
  const most = Math.floor(SESSION_BYTES_MAX / MESSAGE_BYTES);
  await database.asOwner(
    `INSERT INTO session_messages (session_id, sequence, environment_id, id, role, content, tokens)
     SELECT $1, n, $2, 'smg_large' || n, 'user', jsonb_build_array(jsonb_build_object('type', 'image', 'url', repeat('x', $4))), 1
     FROM generate_series(1, $3) n`,
    [sessionId, database.tenant.environmentId, most + 1, MESSAGE_BYTES],
  );
  const ref = await startIngest(sessionId);
  expect(await step(ref)).toEqual({ next: 'end', status: 'failed' });
  expect((await transaction((tx) => getMemoryJob(tx, ref.jobId)))?.error).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining(`${SESSION_BYTES_MAX} bytes`) as string,
  });
  // With two messages less it is not too large: each has some bytes beside its URL.
  await database.asOwner('DELETE FROM session_messages WHERE session_id = $1 AND sequence < 3', [sessionId]);
  expect(await step(await startIngest(sessionId))).toEqual({ next: 'go on' });
});

test('reads the words of a session, and neither its images nor what is appended meanwhile', async () => {
  const { id: sessionId } = await transaction((tx) => createSession(tx, NEW_SESSION));
  const image = { type: 'image', url: 'x'.repeat(MESSAGE_BYTES) } as const;
  const append = (...content: ChatMessage['content'][]): Promise<unknown> =>
    transaction((tx) =>
      appendMessages(
        tx,
        sessionId,
        content.map((one) => ({ ...SAID, role: 'user', content: one })),
      ),
    );
  await append([{ type: 'text', text: 'one' }, image, { type: 'text', text: 'two' }], [image], 'three');
  const split = await transaction(async (tx) => {
    let isMeasured = false;
    const raw: EnvironmentTransaction['raw'] = async <T>(...statement: Parameters<EnvironmentTransaction['raw']>) => {
      const answer = await tx.raw<T>(...statement);
      expect(JSON.stringify(answer).length).toBeLessThan(MESSAGE_BYTES / 2);
      if (!isMeasured && statement[1].includes('sum(m.bytes)')) {
        isMeasured = true;
        await append('four');
      }
      return answer;
    };
    return splitInput({ ...tx, raw }, { sessionId, charactersMax: 100 });
  });
  expect('chunks' in split && split.chunks.map(({ content }) => content)).toEqual(['one\n\ntwo', 'three']);
});
