import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestService } from '../../harness/service.ts';
import { type Effect, effectIn, effectOf, errorOf, invocationIn } from '../invocations/support.ts';
import { evidence, operatorOf, unknownOf, withCapabilities } from './support.ts';

/** A provider that stores the reply of each idempotency key, as real ones do. A test makes it lose or withhold the reply. */
class Provider {
  readonly seen: { key: string; body: string; authorization: string }[] = [];
  readonly made = new Set<string>();
  /** One for each request in turn; the last one repeats. */
  script: ('lose before' | 'lose after' | 'save a 500' | 'answer' | 'hang')[] = ['answer'];
  private readonly saved = new Map<string, number>();
  private readonly server: Server;
  private release: (() => void)[] = [];

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const key = String(request.headers['idempotency-key']);
        const authorization = String(request.headers['authorization']);
        this.seen.push({ key, body: Buffer.concat(chunks).toString(), authorization });
        const step = this.script[Math.min(this.seen.length, this.script.length) - 1] ?? 'answer';
        if (step === 'lose before') return request.socket.resetAndDestroy();
        const status = this.saved.get(key) ?? (step === 'save a 500' ? 500 : 201);
        this.saved.set(key, status);
        if (status === 201) this.made.add(key);
        if (step === 'lose after') return request.socket.resetAndDestroy();
        const answer = (): void =>
          void response.writeHead(status, { 'content-type': 'application/json' }).end('{"id":"re_1"}');
        if (step === 'hang') this.release.push(answer);
        else answer();
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/refunds`;
  }

  answerAll(): void {
    for (const answer of this.release.splice(0)) answer();
  }

  reset(script: Provider['script']): void {
    this.script = script;
    this.seen.splice(0);
    this.made.clear();
    this.saved.clear();
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => void this.server.close(() => resolve()));
  }
}

const provider = new Provider();
const url = await provider.start();
const [service, plainService] = await Promise.all([
  startTestService({ adapterFor: withCapabilities({ replay: true, idempotencyWindowSeconds: 3_600 }) }),
  startTestService(),
]);
const operator = await operatorOf(service);
await service.call('PUT', '/api/v2/secrets/KEY', { key: service.key, body: { value: 'pk_live_1' } });
afterAll(async () => {
  await provider.close();
});
beforeEach(() => provider.reset(['answer']));

const config = () => ({
  url,
  headers: { Authorization: 'Bearer {{secret:KEY}}' },
  body: { payment: 'pay_1' },
  idempotencyHeader: 'Idempotency-Key',
});
const replay = (effect: Effect) => operator.post(`/api/v2/actions/effects/${effect.id}/replay`);
const now = async (effect: Effect): Promise<Effect> =>
  effectIn(await service.get(`/api/v2/actions/effects/${effect.id}`));

describe('POST /actions/effects/{id}/replay', () => {
  test.each([['lose before'], ['lose after']] as const)(
    'the same bytes under the same key, after an answer that got lost (%s): acknowledged, made once',
    async (loss) => {
      provider.reset([loss, 'answer']);
      const { effect, invocation } = await unknownOf(service, config());
      const reply = await replay(effect);
      expect(reply.status, reply.text).toBe(200);
      expect(effectIn(reply)).toMatchObject({
        stage: 'settled',
        outcome: 'succeeded',
        grade: 'acknowledged',
        verification: 'unverified',
        unresolvedExposure: false,
      });
      expect(effectIn(reply).attempts.filter(({ kind }) => kind === 'replay')).toMatchObject([
        { status: 'completed', observedOutcome: 'succeeded' },
      ]);
      expect(effectIn(reply).evidence.at(-1)).toMatchObject({
        source: 'provider_response',
        impliedOutcome: 'succeeded',
        details: { replay: true, status: 201 },
      });
      const [first, second] = provider.seen;
      expect(second).toEqual(first);
      expect(first?.key).toBe(effect.id);
      expect(provider.made.size).toBe(1);
      expect(invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}`)).result).toMatchObject({
        status: 201,
        body: { id: 're_1' },
      });
      expect(await service.client.workflow.getHandle(`reconcile/${effect.id}`).result()).toMatchObject({
        grade: 'acknowledged',
      });
    },
  );

  test('a saved 500 proves nothing, however often it is repeated', async () => {
    provider.reset(['save a 500', 'answer']);
    const { effect } = await unknownOf(service, config());
    for (const replays of [1, 2]) {
      const replayed = effectIn(await replay(effect));
      expect(replayed).toMatchObject({ stage: 'reconciling', outcome: 'unknown', partialEffect: 'possible' });
      expect(replayed.attempts.filter(({ kind }) => kind === 'replay')).toHaveLength(replays);
    }
  });

  test('a replay that gets lost too leaves it unknown', async () => {
    provider.reset(['lose before', 'lose before']);
    const { effect } = await unknownOf(service, config());
    expect(effectIn(await replay(effect))).toMatchObject({ outcome: 'unknown' });
    expect(provider.seen).toHaveLength(2);
  });

  test('one at a time, and nothing is resolved meanwhile', async () => {
    provider.reset(['lose before', 'hang', 'answer']);
    const { effect } = await unknownOf(service, config());
    const replies = Promise.all([replay(effect), replay(effect), replay(effect)]);
    await expect.poll(() => provider.seen.length).toBe(2);
    const resolving = await operator.post(`/api/v2/actions/effects/${effect.id}/resolve`, {
      outcome: 'failed',
      evidence,
    });
    expect([resolving.status, errorOf(resolving).message]).toEqual([409, expect.stringContaining('replay') as string]);
    provider.answerAll();
    expect((await replies).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(provider.seen).toHaveLength(2);
    expect(await now(effect)).toMatchObject({ outcome: 'succeeded' });
  });

  test('409 and nothing sent: settled, out of the window, no such capability, halted', async () => {
    provider.reset(['lose before', 'answer']);
    const settled = await unknownOf(service, config());
    await replay(settled.effect);
    provider.reset(['lose before', 'answer']);
    const late = await unknownOf(service, config());
    await service.database.asOwner(
      // For us the window ends a minute and the action's time-out before the provider's does.
      `UPDATE effects SET first_dispatched_at = now() - interval '3515 seconds' WHERE id = $1`,
      [late.effect.id],
    );
    provider.reset(['lose before', 'answer']);
    const incapable = await unknownOf(plainService, { url, idempotencyHeader: 'Idempotency-Key' });
    provider.reset(['lose before', 'answer']);
    const held = await unknownOf(service, config());
    const sent = provider.seen.length;
    const why = async (reply: ReturnType<typeof replay>) => [(await reply).status, errorOf(await reply).message];
    expect(await why(replay(settled.effect))).toEqual([409, expect.stringContaining('only an unknown one')]);
    expect(await why(replay(late.effect))).toEqual([409, expect.stringContaining('window is over')]);
    const other = await operatorOf(plainService);
    expect(await why(other.post(`/api/v2/actions/effects/${incapable.effect.id}/replay`))).toEqual([
      409,
      expect.stringContaining('offers no replay'),
    ]);
    const setHalt = (reason: string | null) =>
      service.database.asOwner(
        `UPDATE environments SET halted_at = CASE WHEN $2::text IS NULL THEN NULL ELSE now() END, halted_reason = $2,
           halted_by = CASE WHEN $2::text IS NULL THEN NULL ELSE '{}'::jsonb END WHERE id = $1`,
        [service.database.tenant.environmentId, reason],
      );
    await setHalt('a drill');
    try {
      expect(await why(replay(held.effect))).toEqual([409, expect.stringContaining('a drill')]);
    } finally {
      await setHalt(null);
    }
    expect(provider.seen).toHaveLength(sent);
    expect((await effectOf(service, held.invocation)).attempts.filter(({ kind }) => kind === 'replay')).toEqual([]);
  });

  test('the database refuses a replay outside of the window, whoever asks', async () => {
    provider.reset(['lose before', 'answer']);
    const { effect, invocation } = await unknownOf(service, config());
    const insert = `INSERT INTO attempts (id, environment_id, invocation_id, number, kind)
      SELECT 'att_' || $1, environment_id, id, 90, 'replay' FROM invocations WHERE id = $1`;
    await service.database.asOwner(
      `UPDATE effects SET first_dispatched_at = now() - interval '2 hours' WHERE id = $1`,
      [effect.id],
    );
    await expect(service.database.asOwner(insert, [invocation.id])).rejects.toThrow(/outside of the window/);
  });
});
