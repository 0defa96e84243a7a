import { afterEach, describe, expect, it } from 'vitest';
import { createSender } from '../../../../activities/adapters/index.ts';
import { createDocumentFetcher } from '../../../../activities/adapters/http-request/fetch-document.ts';
import { createClientDocumentFetcher } from '../../../../activities/adapters/http-request/fetch-client-document.ts';
import type { ResolvedAddress } from '../../../../activities/adapters/http-request/resolve.ts';
import { lookupSlotsOf, resolveInTurn } from '../../../../activities/adapters/http-request/resolve-in-turn.ts';
import type { Sent } from '../../../../activities/adapters/http-request/send-request.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../../domain/egress.ts';
import { startTarget } from '../../../harness/target.ts';
import { PATIENCE_MS } from '../../../harness/patience.ts';
import { OPEN_FENCE, WATCHDOG } from '../../../harness/watchdog.ts';

/** A `getaddrinfo` that hangs holds a thread of libuv past the deadline of its call. Its workspace waits for it, and no other does. */

const LOOKUPS = { slots: 3, slotsAWorkspaceMax: 2 };
const HANGING = 20;
const SHORT_MS = 100;
/** Whoever gets no turn fails after it. */
const TURN_MS = 2_000;
const LOOPBACK: ResolvedAddress[] = [{ address: '127.0.0.1', family: 4 }];

const target = await startTarget();

const ending: (() => void)[] = [];
afterEach(() => {
  for (const end of ending.splice(0)) end();
});

/** Look-ups that hang until they are ended, but for the name `ok.test`. */
function world() {
  const hanging: (() => void)[] = [];
  const resolve = resolveInTurn(LOOKUPS, (hostname) =>
    hostname === 'ok.test'
      ? Promise.resolve(LOOPBACK)
      : new Promise((answer) => {
          hanging.push(() => answer(LOOPBACK));
        }),
  );
  const options = { egressAllow: parseEgressAllow(LOOPBACK_EGRESS), resolve };
  const send = createSender(options);
  const port = new URL(target.baseUrl).port;
  ending.push(() => {
    for (const answer of hanging) answer();
  });
  return {
    hanging,
    fetchClientDocument: createClientDocumentFetcher({ ...options, watchdog: WATCHDOG, timeoutMs: TURN_MS }),
    okUrl: `http://ok.test:${port}/ok`,
    fetchDocument: createDocumentFetcher({ ...options, watchdog: WATCHDOG, timeoutMs: SHORT_MS }),
    call: (workspaceId: string, name: string, timeoutMs: number): Promise<Sent> =>
      WATCHDOG.run({ kind: 'dispatch', workspaceId, ids: {}, timeoutMs, fence: OPEN_FENCE }, (signal) =>
        send(
          { method: 'GET', url: `http://${name}:${port}/ok`, headers: {}, body: null, bodyEncoding: 'utf8' },
          { bytesMax: 1_000_000, larger: 'no_answer' },
          { timeoutMs, signal },
        ),
      ),
  };
}

const kindsOf = (sent: readonly Sent[]): string[] => [...new Set(sent.map(({ kind }) => kind))];

describe('look-ups of one workspace that never end', () => {
  it('leave the calls of another workspace their turn; its own calls are not sent', async () => {
    const { call, hanging } = world();
    const stuck = Array.from({ length: HANGING }, (_, n) => call('hostile', `hang-${n}.test`, SHORT_MS));
    expect((await call('victim', 'ok.test', PATIENCE_MS)).kind).toBe('response');
    const ended = await Promise.all(stuck);
    expect(kindsOf(ended)).toEqual(['not_sent']);
    // What had no turn in its deadline is never looked up.
    expect(hanging).toHaveLength(LOOKUPS.slotsAWorkspaceMax);
  });

  it('hold their slots past the deadline of their calls, until they end', async () => {
    const { call, hanging } = world();
    await Promise.all([call('hostile', 'hang-1.test', SHORT_MS), call('hostile', 'hang-2.test', SHORT_MS)]);
    expect(hanging).toHaveLength(2);
    expect((await call('hostile', 'ok.test', SHORT_MS)).kind).toBe('not_sent');
    expect((await call('victim', 'ok.test', PATIENCE_MS)).kind).toBe('response');

    const next = call('hostile', 'ok.test', PATIENCE_MS);
    hanging[0]?.();
    expect((await next).kind).toBe('response');
  });

  it('count with the imports of the workspace', async () => {
    const { call, hanging, fetchDocument } = world();
    const fetched = await Promise.all(
      ['1', '2', '3'].map((n) => fetchDocument(`https://hang-${n}.test/openapi.json`, 'hostile')),
    );
    expect(fetched.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'refused']);
    expect(hanging).toHaveLength(LOOKUPS.slotsAWorkspaceMax);
    expect((await call('hostile', 'ok.test', SHORT_MS)).kind).toBe('not_sent');
    expect((await call('victim', 'ok.test', PATIENCE_MS)).kind).toBe('response');
  });
});

describe('documents of OAuth clients', () => {
  it('that one network names and that hang leave another network its turn, past their deadline too', async () => {
    const { fetchClientDocument, hanging, okUrl } = world();
    const stuck = Array.from({ length: HANGING }, (_, n) =>
      fetchClientDocument(`https://hang-${n}.test/client.json`, '192.0.2.1'),
    );
    expect((await fetchClientDocument(okUrl, '198.51.100.1')).kind).toBe('fetched');
    expect((await Promise.all(stuck)).map(({ kind }) => kind)).toEqual(stuck.map(() => 'refused'));
    expect(hanging).toHaveLength(1);
    expect((await fetchClientDocument(okUrl, '198.51.100.1')).kind).toBe('fetched');
    expect((await fetchClientDocument(okUrl, '192.0.2.1')).kind).toBe('refused');
  });

  it('have the look-ups of one workspace together, whichever networks ask', async () => {
    const { fetchClientDocument, hanging, call } = world();
    const networks = Array.from({ length: HANGING }, (_, n) => `192.0.2.${n}`);
    const stuck = networks.map((network, n) => fetchClientDocument(`https://hang-${n}.test/client.json`, network));
    expect((await call('victim', 'ok.test', PATIENCE_MS)).kind).toBe('response');
    await Promise.all(stuck);
    expect(hanging).toHaveLength(LOOKUPS.slotsAWorkspaceMax);
  });
});

describe('the share of the tenants', () => {
  it.each([
    [1, { slots: 1, slotsAWorkspaceMax: 1 }],
    [4, { slots: 1, slotsAWorkspaceMax: 1 }],
    [16, { slots: 6, slotsAWorkspaceMax: 2 }],
    [64, { slots: 24, slotsAWorkspaceMax: 8 }],
  ])('with %d threads leaves the service look-ups of its own', (threads, expected) => {
    expect(lookupSlotsOf(threads)).toEqual(expected);
  });
});
