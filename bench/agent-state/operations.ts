import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import type { Embedder } from '../../domain/embeddings/embedder.ts';
import { bitsOf } from './plain.ts';
import type { Call } from './post.ts';
import type { Texts } from './texts.ts';

/** Calls one after the other, each with values of its own. */
export interface Operation {
  title: string;
  service(): Promise<void>;
  plain(): Promise<void>;
  /** The service's p95 that is aimed at. */
  aimP95Ms?: number;
}

export interface Agent {
  call: Call;
  owner: Client;
  embedder: Embedder;
  workspaceId: string;
  texts: Texts;
}

const MESSAGES = 1_000;
const MESSAGES_A_REQUEST = 100;
const MESSAGE_TOKENS = 40;
const CONTEXT_TOKENS = 4_000;
const ENTRIES = 1_000;
const OTHER_PROMPTS = 200;
const SPANS = 100;
/** A run takes so many spans before the next one is begun. */
const CALLS_A_RUN = 50;

export async function sessionOperations({ call, owner, texts }: Agent): Promise<Operation[]> {
  await owner.query('CREATE TABLE plain_sessions (id text PRIMARY KEY, last_sequence bigint NOT NULL DEFAULT 0)');
  await owner.query(`CREATE TABLE plain_messages (session_id text, sequence bigint, role text NOT NULL, content jsonb NOT NULL,
    tokens integer NOT NULL, created_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (session_id, sequence))`);
  const [appended, read] = [await newSession(call, owner), await newSession(call, owner)];
  for (let made = 0; made < MESSAGES; made += MESSAGES_A_REQUEST) {
    const messages = Array.from({ length: MESSAGES_A_REQUEST }, () => ({ role: 'user', content: texts.memory() }));
    await call('POST', `/api/v2/sessions/${read}/messages`, { messages });
    for (const { content } of messages) await appendPlainly(owner, read, content);
  }
  return [
    {
      title: 'append a message to a session',
      service: async () => {
        const messages = [{ role: 'user', content: texts.memory() }];
        await call('POST', `/api/v2/sessions/${appended}/messages`, { messages });
      },
      plain: () => appendPlainly(owner, appended, texts.memory()),
    },
    {
      title: `a context of ${CONTEXT_TOKENS} tokens, of ${MESSAGES} messages`,
      service: async () => void (await call('GET', `/api/v2/sessions/${read}/context?maxTokens=${CONTEXT_TOKENS}`)),
      plain: async () => {
        await owner.query({
          name: 'context',
          text: `SELECT role, content FROM (SELECT *, sum(tokens) OVER (ORDER BY sequence DESC) AS total FROM (SELECT * FROM plain_messages
              WHERE session_id = $1 ORDER BY sequence DESC LIMIT $2::int / 2) newest) fitting WHERE total <= $2 ORDER BY sequence`,
          values: [read, CONTEXT_TOKENS],
        });
      },
    },
  ];
}

async function newSession(call: Call, owner: Client): Promise<string> {
  const { id } = (await call('POST', '/api/v2/sessions', {})) as { id: string };
  await owner.query('INSERT INTO plain_sessions (id) VALUES ($1)', [id]);
  return id;
}

async function appendPlainly(owner: Client, sessionId: string, content: string): Promise<void> {
  await owner.query({
    name: 'append',
    text: `WITH s AS (UPDATE plain_sessions SET last_sequence = last_sequence + 1 WHERE id = $1 RETURNING last_sequence)
      INSERT INTO plain_messages (session_id, sequence, role, content, tokens) SELECT $1, last_sequence, 'user', $2, $3 FROM s RETURNING *`,
    values: [sessionId, JSON.stringify(content), MESSAGE_TOKENS],
  });
}

export async function cacheOperations(agent: Agent): Promise<Operation[]> {
  const { call, owner, embedder, workspaceId, texts } = agent;
  await owner.query(
    'CREATE TABLE plain_cache (prompt text PRIMARY KEY, response jsonb NOT NULL, signs bit varying NOT NULL)',
  );
  const prompts = Array.from({ length: ENTRIES }, (_, index) => `${texts.query()} number ${index}`);
  const { vectors } = await embedder.embed(prompts, { workspaceId });
  for (const [index, prompt] of prompts.entries()) {
    await call('POST', '/api/v2/cache', { prompt, response: 'an answer' });
    const signs = bitsOf(vectors[index] ?? new Float32Array());
    await owner.query('INSERT INTO plain_cache VALUES ($1, $2, $3::text::bit varying)', [prompt, '"an answer"', signs]);
  }
  const stored = turns(prompts);
  const unknown = Array.from({ length: OTHER_PROMPTS }, () => texts.query());
  const others = turns(unknown);
  const otherSigns = turns((await embedder.embed(unknown, { workspaceId })).vectors.map(bitsOf));
  return [
    {
      title: `cache lookup among ${ENTRIES}, of a prompt that is there`,
      service: async () => void (await call('POST', '/api/v2/cache/lookup', { prompt: stored() })),
      plain: async () => {
        const text = 'SELECT response FROM plain_cache WHERE prompt = $1';
        await owner.query({ name: 'exact', text, values: [stored()] });
      },
    },
    {
      title: `cache lookup among ${ENTRIES}, of another prompt`,
      service: async () => void (await call('POST', '/api/v2/cache/lookup', { prompt: others(), near: true })),
      plain: async () => {
        const text = 'SELECT response FROM plain_cache ORDER BY bit_count(signs # $1::text::bit varying) LIMIT 1';
        await owner.query({ name: 'near', text, values: [otherSigns()] });
      },
    },
  ];
}

export async function spanOperations({ call, owner }: Agent): Promise<Operation[]> {
  await owner.query(`CREATE TABLE plain_spans (run_id text, id text, name text NOT NULL, kind text NOT NULL, status text NOT NULL,
    started_at timestamptz NOT NULL, ended_at timestamptz, attributes jsonb, PRIMARY KEY (run_id, id))`);
  let runId = '';
  let calls = 0;
  const spans = () =>
    Array.from({ length: SPANS }, (_, index) => ({
      id: randomBytes(8).toString('hex'),
      name: `step ${index}`,
      kind: 'tool',
      status: 'succeeded',
      startedAt: new Date().toISOString(),
      endedAt: new Date().toISOString(),
      attributes: { step: index, tool: 'search' },
    }));
  const nextRun = async (): Promise<void> => {
    if (calls++ % CALLS_A_RUN === 0) runId = ((await call('POST', '/api/v2/runs', {})) as { id: string }).id;
  };
  return [
    {
      title: `ingest ${SPANS} spans`,
      service: async () => {
        await nextRun();
        const reply = (await call('POST', `/api/v2/runs/${runId}/spans`, { spans: spans() })) as {
          rejected: unknown[];
        };
        if (reply.rejected.length > 0) throw new Error(`spans were rejected: ${JSON.stringify(reply.rejected[0])}`);
      },
      plain: async () => {
        await owner.query({
          name: 'spans',
          text: `INSERT INTO plain_spans SELECT $1, n.id, n.name, n.kind, n.status, n."startedAt", n."endedAt", n.attributes
            FROM json_to_recordset($2::json) AS n (id text, name text, kind text, status text, "startedAt" timestamptz, "endedAt" timestamptz, attributes jsonb)`,
          values: ['plain', JSON.stringify(spans())],
        });
      },
    },
  ];
}

/** One after the other, over and over. */
export function turns<T>(values: readonly T[]): () => T {
  let next = 0;
  return () => {
    const value = values[next++ % values.length];
    if (value === undefined) throw new Error('there is nothing to take turns with');
    return value;
  };
}
