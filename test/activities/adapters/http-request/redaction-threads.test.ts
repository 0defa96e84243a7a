import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RawResponse } from '../../../../activities/adapters/http-request/exchange.ts';
import { readResponse } from '../../../../activities/adapters/http-request/read-response.ts';
import { RedactionThreads } from '../../../../activities/adapters/http-request/redaction-threads.ts';
import type { RedactionThreadsOptions } from '../../../../activities/adapters/http-request/redaction-threads.ts';
import { createRedactor } from '../../../../activities/adapters/http-request/redaction.ts';
import { Deadline } from '../../../../domain/deadline.ts';
import { compiledModule } from '../../../harness/compiled-module.ts';
import { PATIENCE_MS } from '../../../harness/patience.ts';
import { startTarget } from '../../../harness/target.ts';
import { adapterWith, answered } from './calls.ts';

const made: RedactionThreads[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const redaction of made.splice(0)) await redaction.close();
});

function threads(options: RedactionThreadsOptions = {}): RedactionThreads {
  const redaction = new RedactionThreads({
    threadFile: () => compiledModule('activities/adapters/http-request/redaction-thread.ts'),
    deadlineMs: PATIENCE_MS,
    waitMsMax: PATIENCE_MS,
    ...options,
  });
  made.push(redaction);
  return redaction;
}

const rawOf = (type: string, body: string | Buffer): RawResponse => ({
  status: 207,
  headers: [
    ['content-type', type],
    ['x-request-id', 'req_1'],
  ],
  body: Buffer.from(body),
});
const NOTHING_KEPT = { response: { status: 207, headers: {}, body: '[REDACTED]', bodyEncoding: 'utf8' } };

const hexOf = (characters: number): string => randomBytes(characters / 2).toString('hex');
/** 2 KiB, of which each piece that is searched for but the first begins with what the hostile answer repeats. */
const LONG = hexOf(128) + Array.from({ length: 15 }, () => `aaaaaaaa${hexOf(120)}`).join('');
const MEDIUM = LONG.slice(0, 256);
/** 1 MiB. A pattern gets as far as the ninth character at each place. */
const HOSTILE = rawOf('application/json', JSON.stringify([LONG, 'a'.repeat(2 ** 20 - LONG.length - 7)]));
/** There are countless ways to match it. */
const AMBIGUOUS = `${'\\a'.repeat(40)}x`;
const MATCHES_IN_MANY_WAYS = rawOf('text/plain', `${'\\\\\\\\a'.repeat(40)}y`);

/** The longest time for which the event loop stood still. */
async function stoodStillMs(work: () => unknown): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const measuredOnceMore = async (): Promise<void> => {
    const before = delays.count;
    await expect.poll(() => delays.count, { interval: 1, timeout: PATIENCE_MS }).toBeGreaterThan(before);
  };
  await measuredOnceMore();
  await work();
  await measuredOnceMore();
  delays.disable();
  return delays.max / 1e6;
}

describe('an answer that takes long to be searched', () => {
  it(
    'is read as on the event loop, and does not hold it',
    async () => {
      const redaction = threads();
      // The thread has started, and its module is compiled.
      await redaction.texts([LONG], { secrets: [LONG] });
      let inline: unknown;
      const inlineMs = await stoodStillMs(() => (inline = readResponse(HOSTILE, createRedactor([LONG]))));
      let read: unknown;
      const readMs = await stoodStillMs(async () => (read = await redaction.response(HOSTILE, { secrets: [LONG] })));
      expect(inlineMs).toBeGreaterThan(500);
      expect(readMs).toBeLessThan(500);
      expect(read).toEqual(inline);
      expect(JSON.stringify(read)).toContain('[REDACTED]');
    },
    PATIENCE_MS,
  );

  it('of bytes, of texts and of JSON is the same from a thread', async () => {
    const redaction = threads();
    const call = { secrets: [MEDIUM] };
    const redactor = createRedactor([MEDIUM]);
    const body = Buffer.from(`<${MEDIUM}>${MEDIUM.slice(0, 6)}`);
    const kept = await redaction.bytes({ headers: [['x-a', MEDIUM]], body, isCutOff: true }, call);
    expect(kept.headers).toEqual({ 'x-a': '[REDACTED]' });
    expect(Buffer.from(kept.body ?? []).toString()).toBe(redactor.bytes(body, true).toString());
    expect(await redaction.text(`at ${MEDIUM}`, call)).toBe('at [REDACTED]');
    expect(await redaction.json({ [MEDIUM]: 1, n: [MEDIUM] }, call)).toEqual({
      value: { '[REDACTED]': 1, n: ['[REDACTED]'] },
    });
    const binary = rawOf('application/octet-stream', Buffer.from([0xff, 0, 1]));
    expect(await redaction.response(binary, call)).toEqual(readResponse(binary, redactor));
    expect(redaction.threads).toBeGreaterThan(0);
  });
});

const PROGRAMS = [
  ['ends in the middle', 'test/activities/adapters/http-request/dying-thread.ts', PATIENCE_MS],
  ['fails', 'test/api/json-schema/failing-thread.ts', PATIENCE_MS],
  ['runs over its deadline', 'test/api/json-schema/busy-thread.ts', 500],
] as const;

describe.each(PROGRAMS)('where the thread %s', (_, program, deadlineMs) => {
  const options = { threadFile: () => compiledModule(program), deadlineMs };

  it('nothing is kept but the status, and the log names the workspace and no content', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const redaction = threads(options);
    const call = { secrets: [LONG], workspaceId: 'wsp_a' };
    const body = Buffer.from('a body');
    expect(await redaction.response(rawOf('text/plain', body), call)).toMatchObject(NOTHING_KEPT);
    const kept = await redaction.bytes({ headers: [['x-a', 'b']], body, isCutOff: false }, call);
    expect(kept).toEqual({ headers: {}, body: Buffer.from('[REDACTED]') });
    expect(await redaction.text('a message', call)).toBe('[REDACTED]');
    expect(await redaction.json(['a member'], call)).toBeNull();
    const lines = warned.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('wsp_a'));
    expect(lines).toHaveLength(4);
    expect(lines.join()).not.toMatch(/a body|a message|a member|ours/);
    expect(lines.join()).not.toContain(LONG);
  });

  it('the dispatch is answered all the same', async () => {
    const target = await startTarget();
    vi.spyOn(process, 'emitWarning').mockReturnValue();
    const call = {
      config: { method: 'POST', url: `${target.baseUrl}/echo`, body: '{{secret:K}}' },
      secrets: { K: LONG },
    };
    try {
      const result = await answered(call, adapterWith({ redaction: threads(options) }));
      expect(result).toMatchObject({ outcome: 'succeeded', response: { status: 200, body: '[REDACTED]' } });
    } finally {
      await target.stop();
    }
  });
});

describe('a search that would never end', () => {
  it(
    'is ended by the deadline, and leaves no thread busy',
    async () => {
      const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
      const redaction = threads({ deadlineMs: 1_500 });
      const endless = { secrets: [AMBIGUOUS] };
      // More than there are threads: each would be taken for good.
      const read = Array.from({ length: 5 }, (_, at) =>
        redaction.response(MATCHES_IN_MANY_WAYS, { ...endless, workspaceId: `wsp_${at}` }),
      );
      for (const each of await Promise.all(read)) expect(each).toMatchObject(NOTHING_KEPT);
      expect(warned.mock.calls.map(([line]) => String(line))).toContainEqual(
        expect.stringMatching(/its time was over/),
      );
      // A new thread may need longer than the deadline, beside others.
      await expect.poll(() => redaction.text(`at ${LONG}`, { secrets: [LONG] })).toBe('at [REDACTED]');
    },
    PATIENCE_MS,
  );

  it(
    'is ended by the signal, waiting or running',
    async () => {
      vi.spyOn(process, 'emitWarning').mockReturnValue();
      const redaction = threads();
      using deadline = new Deadline(1_000);
      const { signal } = deadline;
      const read = Array.from({ length: 5 }, (_, at) =>
        redaction.response(MATCHES_IN_MANY_WAYS, { secrets: [AMBIGUOUS], workspaceId: `wsp_${at}`, signal }),
      );
      for (const each of await Promise.all(read)) expect(each).toMatchObject(NOTHING_KEPT);
      const aborted = { secrets: [LONG], signal };
      expect(await redaction.text('at', aborted)).toBe('[REDACTED]');
      expect(await redaction.text(`at ${LONG}`, { secrets: [LONG] })).toBe('at [REDACTED]');
    },
    PATIENCE_MS,
  );
});

it.each([
  ['an ordinary credential in an ordinary answer', 'sk_live_51HxQz0123456789abcdefghijklmn', 8_192],
  ['no credential in a large answer', undefined, 2 ** 20],
])('%s takes no thread', async (_, secret, length) => {
  const redaction = threads();
  const secrets = secret === undefined ? [] : [secret];
  const raw = rawOf('application/json', JSON.stringify({ key: secret ?? '', text: 'An answer. '.repeat(length / 11) }));
  expect(await redaction.response(raw, { secrets })).toEqual(readResponse(raw, createRedactor(secrets)));
  expect(redaction.threads).toBe(0);
});

it('an ordinary answer to a delivery takes no thread', async () => {
  const redaction = threads();
  const work = { headers: [], body: Buffer.from('An answer. '.repeat(500)), isCutOff: false };
  const secrets = [`whsec_${randomBytes(24).toString('base64')}`];
  expect(await redaction.bytes(work, { secrets })).toEqual({ headers: {}, body: work.body });
  expect(redaction.threads).toBe(0);
});

it.each([
  ['a secret with escapes', AMBIGUOUS, 'x'],
  ['a secret whose UTF-16 is an escape', '\u5c41\u5c41', 'x'],
  ['an answer of escapes', 'a-secret-of-some-characters', '\\a'.repeat(1_000)],
  ['a long secret', LONG, 'x'],
])('%s takes a thread', async (_, secret, text) => {
  const redaction = threads();
  await redaction.text(text, { secrets: [secret] });
  expect(redaction.threads).toBe(1);
});
