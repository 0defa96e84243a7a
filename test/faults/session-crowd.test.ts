import { expect, test } from 'vitest';
import { z } from 'zod';
import { messageSchema, sessionSchema } from '../../api/sessions/schemas.ts';
import { startTestApi } from '../api/harness/test-api.ts';
import { dataOf } from '../api/invocations/support.ts';
import { inForm } from './form.ts';

/** Many writers of one session at once, over HTTP: the numbers have no gap, each message is there once, and each writer's are in order. */
const WRITERS = 64;
const MESSAGES = inForm({ short: 1_280, full: 10_000 });
const PAGE = 100;

const api = await startTestApi({ taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);

/** Writes its messages one after the other, in requests of one to five. A request that is sent twice has the same Idempotency-Key. */
async function write(path: string, writer: number, messages: number): Promise<void> {
  for (let sent = 0, request = 0; sent < messages; request++) {
    const size = Math.min(1 + ((writer + request) % 5), messages - sent);
    const body = {
      messages: Array.from({ length: size }, (_, at) => ({ role: 'user', content: `${writer}:${sent + at}` })),
    };
    const headers = { 'Idempotency-Key': `${writer}-${request}` };
    const replies = await Promise.all(
      Array.from({ length: request % 7 === 0 ? 2 : 1 }, () => api.call('POST', path, { key, body, headers })),
    );
    for (const reply of replies) expect(reply.status, reply.text).toBe(201);
    sent += size;
  }
}

test(`${WRITERS} writers append ${MESSAGES} messages: gapless, each once, read back in order`, async () => {
  const session = dataOf(await api.call('POST', '/api/v2/sessions', { key, body: {} }), sessionSchema);
  const path = `/api/v2/sessions/${session.id}/messages`;
  const shareOf = (writer: number): number => Math.floor(MESSAGES / WRITERS) + (writer < MESSAGES % WRITERS ? 1 : 0);
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(path, writer, shareOf(writer))));

  const read: { sequence: number; content: unknown }[] = [];
  for (;;) {
    const after = read.at(-1)?.sequence ?? 0;
    const page = dataOf(await api.call('GET', `${path}?limit=${PAGE}&after=${after}`, { key }), z.array(messageSchema));
    read.push(...page);
    if (page.length < PAGE) break;
  }
  expect(read.map(({ sequence }) => sequence)).toEqual(Array.from({ length: MESSAGES }, (_, index) => index + 1));
  const byWriter = new Map<number, number[]>();
  for (const { content } of read) {
    const [writer = -1, number = -1] = String(content).split(':').map(Number);
    byWriter.set(writer, [...(byWriter.get(writer) ?? []), number]);
  }
  expect(byWriter.size).toBe(WRITERS);
  for (const [writer, numbers] of byWriter) {
    expect(numbers).toEqual(Array.from({ length: shareOf(writer) }, (_, index) => index));
  }
  const counted = dataOf(await api.call('GET', `/api/v2/sessions/${session.id}`, { key }), sessionSchema);
  const tokens = await api.database.asOwner<{ sum: number }>(
    'SELECT sum(tokens)::int AS sum FROM session_messages WHERE session_id = $1',
    [session.id],
  );
  expect(counted).toMatchObject({ messageCount: MESSAGES, tokenCount: tokens[0]?.sum });
});
