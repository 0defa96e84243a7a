import { expect, test } from 'vitest';
import { z } from 'zod';
import { contextOf } from '../../../api/context/context-of-session.ts';
import { contextSchema } from '../../../api/context/schemas.ts';
import { SMALL_JOB_BYTES_MAX } from '../../../api/threads/token-counter.ts';
import { OUTLINES_MAX, OUTLINES_OF_PART_MAX, readConversation } from '../../../db/context/read-conversation.ts';
import { messageSchema, sessionSchema } from '../../../api/sessions/schemas.ts';
import { assembleContext, CONTEXT_BYTES_MAX, type ContextRequest } from '../../../domain/context/assemble.ts';
import { MESSAGE_BYTES } from '../../../domain/context/newest-units.ts';
import { countTokens } from '../../../domain/sessions/o200k.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';

const api = await startTestApi({ taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);

const call = (method: string, path: string, body?: object): Promise<CallResult> =>
  api.call(method, `/api/v2/sessions${path}`, { key, ...(body === undefined ? {} : { body }) });
const append = async (id: string, messages: object[]) =>
  dataOf(await call('POST', `/${id}/messages`, { messages }), z.array(messageSchema));
async function sessionOf(...messages: object[]): Promise<{ id: string; ids: string[] }> {
  const { id } = dataOf(await call('POST', '', {}), sessionSchema);
  const said = messages.length === 0 ? [] : await append(id, messages);
  return { id, ids: said.map((message) => message.id) };
}
const ask = (id: string, maxTokens: number, format = 'openai') =>
  call('GET', `/${id}/context?maxTokens=${maxTokens}&format=${format}`);

const system = { role: 'system', content: 'You help customers of a shop.' };
const user = (content: string) => ({ role: 'user', content });
const calling = (...ids: string[]) => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'find_order', arguments: { id } })),
});
const result = (toolCallId: string, content = 'shipped') => ({ role: 'tool', toolCallId, content });

test('over every budget, calls stay with their results, and what is there and what is dropped make the session', async () => {
  const turn = [user('Where are my orders?'), calling('a', 'b'), user('Hurry!'), result('b'), result('a')];
  const { id, ids } = await sessionOf(system, ...turn, ...turn, ...turn);
  const callAndResults = [1, 6, 11].map((first) => [ids[first + 1], ids[first + 4], ids[first + 3]]);
  const dropped = new Set<number>();
  for (let maxTokens = 40; maxTokens <= 600; maxTokens += 40) {
    const context = dataOf(await ask(id, maxTokens), contextSchema);
    const included = context.included.map((one) => one.id);
    expect(context.tokens).toBeLessThanOrEqual(maxTokens);
    expect(included[0]).toBe(ids[0]);
    expect(included.length + context.dropped.messages).toBe(ids.length);
    for (const unit of callAndResults)
      expect([0, 3]).toContain(unit.filter((one) => included.includes(one ?? '')).length);
    dropped.add(context.dropped.messages);
  }
  expect(dropped.size).toBeGreaterThan(4);
  expect(dropped).toContain(0);
});

test('what no context holds leaves what is older its place, however large it is and however much of it there is', async () => {
  const orphans = Array.from({ length: 60 }, (_, index) => result(`gone_${index}`, 'word '.repeat(100)));
  const { id, ids } = await sessionOf(system, user('Where is my order?'), calling('a'), result('a'), ...orphans);
  await append(id, [calling('unanswered')]);
  const { included, dropped } = dataOf(await ask(id, 200), contextSchema);
  expect(included.map((one) => one.id)).toEqual(ids.slice(0, 4));
  expect(dropped.messages).toBe(61);
});

test('messages that take less than they count for are all there: an image that is only named', async () => {
  const url = `data:image/png;base64,${'iVBORw0KGgo'.repeat(400)}`;
  const { id, ids } = await sessionOf(
    ...Array.from({ length: 5 }, () => ({ role: 'assistant', content: [{ type: 'image', url }] })),
  );
  const { included } = dataOf(await ask(id, 400, 'text'), contextSchema);
  expect(included.map((one) => one.id)).toEqual(ids);
});

test.each(['openai', 'anthropic', 'text'])(
  'system messages of a context in %s: a 400 names the least budget that is enough',
  async (format) => {
    const { id } = await sessionOf(
      ...Array.from({ length: 8 }, (_, index) => ({ role: 'system', content: `Rule "${index}"` })),
    );
    const refused = await ask(id, 16, format);
    expect(refused.status).toBe(400);
    const needed = Number(/need (\d+) tokens/.exec(JSON.stringify(errorOf(refused)))?.[1]);
    expect((await ask(id, needed - 1, format)).status).toBe(400);
    expect(dataOf(await ask(id, needed, format), contextSchema).tokens).toBe(needed);
  },
);

test('the count and the messages are of one snapshot during concurrent writes', async () => {
  const { id, ids } = await sessionOf(system, user('one'), user('two'));
  const { db } = api.database;
  const interrupted: Pick<typeof db, 'withEnvironment'> = {
    withEnvironment: (tenant, work, options) =>
      db.withEnvironment(
        tenant,
        (tx) =>
          work({
            ...tx,
            async raw<Result>(...statement: Parameters<typeof tx.raw>): Promise<Result> {
              const answer = await tx.raw<Result>(...statement);
              await append(id, [user('meanwhile')]);
              return answer;
            },
          }),
        options,
      ),
  };
  const tokens = {
    assemble: async (_: string, read: (bytesMax: number) => Promise<ContextRequest | null>) => {
      return assembleContext((await read(Infinity)) ?? never(), countTokens);
    },
  };
  const asked = { sessionId: id, format: 'openai' as const, maxTokens: 4_000, memories: [] };
  const { tenant } = api.database;
  const { included, dropped } = await contextOf({ db: interrupted, tokens }, { tenant }, asked, 'query.maxTokens');
  expect(included.map((one) => one.id)).toEqual(ids);
  expect(dropped.messages).toBe(0);
});

test.each<[string, number, string[], number, number | null]>([
  ['a short session, however large its budget is', 2, [], 1_000_000, 3],
  ['what fits in a small budget of a long session', 20, [], 500, 2],
  ['a long session that a large budget takes', 20, [], 1_000_000, null],
  ['many memories', 2, Array.from({ length: 20 }, () => 'm'.repeat(8_000)), 1_000, null],
])('what is assembled among the small jobs, and what is not: %s', async (_, count, contents, maxTokens, read) => {
  const { id } = await sessionOf(system, user('a short one'));
  await append(id, [user('word '.repeat(20))]);
  for (let left = count; left > 2; left -= 6) {
    await append(
      id,
      Array.from({ length: Math.min(6, left) }, () => user('word '.repeat(2_000))),
    );
  }
  const requests: (ContextRequest | null)[] = [];
  const tokens = {
    assemble: async (_workspace: string, readUpTo: (bytesMax: number) => Promise<ContextRequest | null>) => {
      requests.push(await readUpTo(SMALL_JOB_BYTES_MAX), await readUpTo(Infinity));
      const [small, all] = requests;
      return assembleContext(small ?? all ?? never(), countTokens);
    },
  };
  const memories = contents.map((content, index) => ({ id: `mem_${index}`, content, score: 1 }));
  const asked = { sessionId: id, format: 'openai' as const, maxTokens, memories };
  const { db, tenant } = api.database;
  await contextOf({ db, tokens }, { tenant }, asked, 'query.maxTokens');
  expect(requests[0]?.messages.length ?? null).toBe(read);
  expect(requests[1]?.messages.length).toBeGreaterThanOrEqual(read ?? 1);
  expect(requests[0] ?? requests[1]).toEqual(requests[1]);
});

/** Writes such messages behind those of a session, without the API: there are many. */
async function fill(id: string, messages: { count: number; role: string; name?: string; toolCallId?: string }) {
  const { count, role, name = null, toolCallId = null } = messages;
  await api.database.asOwner(
    `INSERT INTO session_messages (session_id, sequence, environment_id, id, role, content, name, tool_call_id, tokens)
     SELECT $1, s.last_sequence + n, $2, 'smg_' || gen_random_uuid(), $4, '""', $5, $6, 0
     FROM sessions s, generate_series(1, $3::int) n WHERE s.id = $1`,
    [id, api.database.tenant.environmentId, count, role, name, toolCallId],
  );
  await api.database.asOwner(
    'UPDATE sessions SET message_count = message_count + $2, last_sequence = last_sequence + $2 WHERE id = $1',
    [id, count],
  );
}

/** What is read of a session up to each number of bytes: how many messages, or null. */
async function readUpTo(id: string, ...bytesMax: number[]): Promise<(number | null)[]> {
  const { db, tenant } = api.database;
  const read = (most: number) =>
    db.withEnvironment(tenant, (tx) => readConversation(tx, id, 4_000, most), { isSnapshot: true });
  const conversations = await Promise.all(bytesMax.map(read));
  return conversations.map((conversation) => conversation?.messages.length ?? null);
}

test('what no context holds is walked for so long among the small jobs, and longer among the large ones', async () => {
  const { id, ids } = await sessionOf(system, user('Where is my order?'));
  await fill(id, { count: OUTLINES_OF_PART_MAX - 1, role: 'tool', toolCallId: 'popped' });
  expect(await readUpTo(id, SMALL_JOB_BYTES_MAX, Infinity)).toEqual([2, 2]);
  await fill(id, { count: 1, role: 'tool', toolCallId: 'popped' });
  expect(await readUpTo(id, SMALL_JOB_BYTES_MAX, Infinity)).toEqual([null, 2]);
  await fill(id, { count: OUTLINES_MAX - OUTLINES_OF_PART_MAX, role: 'tool', toolCallId: 'popped' });
  // Behind more than are looked at, what is older is dropped.
  const { included, dropped } = dataOf(await ask(id, 4_000), contextSchema);
  expect(included.map((one) => one.id)).toEqual(ids.slice(0, 1));
  expect(dropped.messages).toBe(OUTLINES_MAX + 1);
});

test.each(['user', 'system'])(
  'empty messages of %s have the bytes of their names and of their frames',
  async (role) => {
    const { id } = await sessionOf();
    await fill(id, { count: 10, role, name: 'n'.repeat(64) });
    const bytes = 10 * (MESSAGE_BYTES + '""'.length + 64);
    expect(await readUpTo(id, bytes - 1, bytes)).toEqual([null, 10]);
  },
);

const never = (): never => {
  throw new Error('all of it was asked for');
};

const SPACES = ' '.repeat(60_000);

test('few tokens and many bytes: what is read of a session is bounded in bytes, and the rest is said to be dropped', async () => {
  const { id, ids } = await sessionOf(system, user('the first'));
  const count = Math.ceil((CONTEXT_BYTES_MAX * 2) / SPACES.length);
  // The text names an image, so that eight megabytes are read and next to nothing is counted.
  const image = [{ type: 'image', url: `data:image/png;base64,${'A'.repeat(SPACES.length)}` }];
  await api.database.asOwner(
    `INSERT INTO session_messages (session_id, sequence, environment_id, id, role, content, tokens)
     SELECT $1, 2 + n, $2, 'smg_wide' || n, 'user', $3::jsonb, 470 FROM generate_series(1, $4) n`,
    [id, api.database.tenant.environmentId, JSON.stringify(image), count],
  );
  await api.database.asOwner(
    'UPDATE sessions SET message_count = message_count + $2, token_count = token_count + 470 * $2, last_sequence = last_sequence + $2 WHERE id = $1',
    [id, count],
  );
  const { included, dropped, tokens } = dataOf(await ask(id, 1_000_000, 'text'), contextSchema);
  expect(tokens).toBeLessThan(200_000);
  expect(included[0]?.id).toBe(ids[0]);
  const readBytes = (included.length - 1) * SPACES.length;
  expect(readBytes).toBeLessThan(CONTEXT_BYTES_MAX);
  expect(readBytes).toBeGreaterThan(CONTEXT_BYTES_MAX - 2 * SPACES.length);
  expect(included.length + dropped.messages).toBe(count + 2);
});

test('system messages of too many bytes are refused before they are read', async () => {
  const { id } = await sessionOf(user('hello'));
  await api.database.asOwner(
    `INSERT INTO session_messages (session_id, sequence, environment_id, id, role, content, tokens)
     SELECT $1, 1 + n, $2, 'smg_rule' || n, 'system', to_jsonb($3::text), 470 FROM generate_series(1, $4) n`,
    [id, api.database.tenant.environmentId, SPACES, Math.ceil(CONTEXT_BYTES_MAX / SPACES.length)],
  );
  const refused = await ask(id, 4_000);
  expect(refused.status).toBe(400);
  expect(JSON.stringify(errorOf(refused))).toContain(`of ${CONTEXT_BYTES_MAX} at most`);
});
