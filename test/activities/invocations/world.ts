import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomBytes, randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { pino } from 'pino';
import type { Adapter, DispatchInput, DispatchResult } from '../../../activities/adapters/adapter.ts';
import { createChatClient } from '../../../activities/adapters/chat/chat-client.ts';
import { createAdapters } from '../../../activities/adapters/index.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { CallSlots } from '../../../activities/call-slots.ts';
import { judgeInvocation } from '../../../activities/invocations/judge-invocation.ts';
import { LaneTakers } from '../../../activities/lane-takers.ts';
import type { GivenUp } from '../../../domain/invocations/dependencies.ts';
import type { Judged } from '../../../domain/invocations/judgement.ts';
import { HEARTBEAT_TIMEOUT_MS } from '../../../domain/heartbeats.ts';
import { createFolderStore } from '../../../activities/adapters/files/folder-store.ts';
import { postApproval } from '../../../activities/integrations/post-approval.ts';
import { sendNotificationEmail } from '../../../activities/notifications/send-email.ts';
import { type Activities, createActivities } from '../../../activities/index.ts';
import { createAction } from '../../../db/actions/changes.ts';
import { Database, type EnvironmentTransaction, type Tenant } from '../../../db/client.ts';
import { admitInvocation } from '../../../db/invocations/admission.ts';
import { Vault } from '../../../db/secrets/vault.ts';
import type { ActionDefinition } from '../../../domain/actions.ts';
import { httpRequestDescriptor } from '../../../domain/adapters/http-request.ts';
import { digestOf } from '../../../domain/canonical-json.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../domain/egress.ts';
import type { Json, JsonObject } from '../../../domain/json.ts';
import type { EffectRef, InvocationRef } from '../../../domain/refs.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { FakeEmbedder } from '../../harness/fake-embedder.ts';
import { plantKeys } from '../../harness/keys.ts';
import { WATCHDOG } from '../../harness/watchdog.ts';
import { NO_PAYMENT_PROVIDER } from '../../../domain/billing/payment-provider.ts';
import { PRICE_LIST } from '../../../domain/billing/price-list.ts';
import { NOTHING_RECORDED } from '../../../domain/metrics/recorder.ts';
import { closesWithFile } from '../../harness/closes-with-file.ts';

/** When the connection of a transaction is lost: before the commit nothing is kept; after it everything is, but the caller gets no reply. */
export type Loss = 'before_commit' | 'after_commit' | null;

/** A database that is lost at the next transactions, as listed. */
class LossyDatabase extends Database {
  readonly losses: Loss[] = [];

  override async withEnvironment<T>(tenant: Tenant, work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> {
    const loss = this.losses.shift() ?? null;
    const result = await super.withEnvironment(tenant, async (tx) => {
      if (loss !== 'before_commit') return work(tx);
      // The server ends exactly this connection, as in its own shutdown.
      const breakOff = () => tx.raw(null, 'SELECT pg_terminate_backend(pg_backend_pid())');
      const worked = await work({ ...tx, last: breakOff as never });
      await breakOff();
      return worked;
    });
    if (loss === 'after_commit') throw new Error('Connection terminated unexpectedly');
    return result;
  }

  override oneStatement<T>(tenant: Tenant, work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> {
    return this.withEnvironment(tenant, work);
  }
}

export interface Admission {
  config?: JsonObject;
  definition?: Partial<ActionDefinition>;
  input?: JsonObject;
  /** Ids of effects. */
  dependsOn?: string[];
  /** Default: `key_test`. */
  requestedBy?: { type: 'api_key' | 'user'; id: string; clientId?: string };
  /** The grant of the app that asks. */
  connectedAppId?: string;
}

export interface RecordedEffect {
  id: string;
  stage: string;
  outcome: string;
  grade: string;
  partial_effect: string;
  rejection_reason: string | null;
  reconcile_attempts: number;
  reconcile_exhausted: boolean;
}

/** All rows that an invocation has. */
export interface Recorded {
  invocation: { status: string; grade: string; error: string | null; result: Json; settled_at: Date | null } | null;
  effects: RecordedEffect[];
  attempts: {
    number: number;
    kind: string;
    status: string;
    claimed: boolean;
    observed_outcome: string | null;
    error: string | null;
  }[];
  evidence: { source: string; implied_outcome: string | null; summary: string; details: JsonObject }[];
}

/** Calls that arrived at a double of the adapter's sending half. The rest of it is real. */
export function adapterThat(dispatch: Adapter['dispatch']): { adapterFor: () => Adapter; sent: DispatchInput[] } {
  const sent: DispatchInput[] = [];
  const adapter: Adapter = {
    descriptor: httpRequestDescriptor,
    dispatch: (input) => {
      sent.push(input);
      return dispatch(input);
    },
    readBack: () => Promise.reject(new Error('nothing is read here')),
  };
  return { adapterFor: () => adapter, sent };
}

/** The adapter of a worker that would send something other than the prepared request. */
export const ANOTHER_VERSION: typeof httpRequestDescriptor = {
  ...httpRequestDescriptor,
  prepare: (input) => {
    const prepared = httpRequestDescriptor.prepare(input);
    if (prepared.kind !== 'ready') return prepared;
    return { ...prepared, request: { ...prepared.request, body: 'something else' } };
  },
};

type Answered = Extract<DispatchResult, { kind: 'answered' }>;

/** What an adapter answers for a 200. */
export const ACCEPTED: Answered = {
  kind: 'answered',
  outcome: 'succeeded',
  partialEffect: 'none',
  summary: 'POST answered 200',
  providerReference: null,
  providerIds: {},
  response: { status: 200, headers: {}, body: { ok: true }, bodyEncoding: 'json' },
};

/** What an adapter answers for a 422. */
export const REJECTED: Answered = {
  ...ACCEPTED,
  outcome: 'failed',
  summary: 'POST answered 422',
  response: { ...ACCEPTED.response, status: 422 },
};

/** Hides the worker's own log lines about failed activities, because these tests fail some on purpose. */
export function activityEnvironment(): MockActivityEnvironment {
  return new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR', () => undefined) });
}

/** A folder that does not exist: nothing is in it, and removing that is harmless. */
const NO_FILES = createFolderStore(path.join(tmpdir(), 'files-that-no-test-makes'));

/** The activities, and the judgement alone, without the claim that `advanceInvocation` makes with it. */
export type TestActivities = Activities & {
  judgeInvocation: (ref: InvocationRef, givenUp?: GivenUp | null) => Promise<Judged>;
};

/** A database of its own and the activities, without a Temporal: each is called as a worker would call it. */
export class ActivityWorld {
  readonly database: TestDatabase;
  readonly vault = Vault.fromMasterKeys(`1:${randomBytes(32).toString('base64')}`);
  private readonly lossy: LossyDatabase[] = [];

  private constructor(database: TestDatabase) {
    this.database = database;
  }

  static async start(): Promise<ActivityWorld> {
    const world = new ActivityWorld(await createTestDatabase({ poolMax: POOL_MAX }));
    world.close = closesWithFile(world.close.bind(world));
    await plantKeys(world.database, world.database.tenant, ['key_test', 'key_alice', 'key_bob']);
    // Opens the connections beforehand, so that twenty calls at once really run at the same moment.
    await Promise.all(
      Array.from({ length: POOL_MAX }, () => world.transaction((tx) => tx.raw(null, 'SELECT pg_sleep(0.1)'))),
    );
    return world;
  }

  async close(): Promise<void> {
    await Promise.all(this.lossy.map((db) => db.close()));
    await this.database.close();
  }

  activities(overrides: Partial<ActivityDependencies> = {}): TestActivities {
    const deps = this.dependencies(overrides);
    const activities = createActivities(deps);
    return {
      ...activities,
      judgeInvocation: async (ref, givenUp = null) => {
        const judged = await judgeInvocation(deps, ref, { givenUp });
        if (judged.next === 'claimed') throw new Error('it may not claim');
        return judged.next === 'marked_before' ? { ...judged, next: 'send' } : judged;
      },
      dispatchEffect: (ref) => activityEnvironment().run(activities.dispatchEffect, ref),
      // Without their places (test/activities/in-flight/work-in-turn.test.ts).
      sendNotificationEmail: sendNotificationEmail(deps),
      postApproval: postApproval(deps),
    };
  }

  /** The activities' dependencies. By default they start no workflow and call nobody. */
  dependencies(overrides: Partial<ActivityDependencies> = {}): ActivityDependencies {
    return {
      db: this.database.db,
      vault: this.vault,
      adapterFor: createAdapters({ egressAllow: parseEgressAllow(LOOPBACK_EGRESS) }),
      cancelInvocation: () => Promise.reject(new Error('nothing is cancelled here')),
      startInvocation: () => Promise.reject(new Error('nothing is started here')),
      wakeApproval: () => Promise.reject(new Error('no approval is woken here')),
      startReads: () => Promise.reject(new Error('nothing is read on here')),
      chat: createChatClient({ egressAllow: [], watchdog: WATCHDOG }),
      mailer: null,
      prices: PRICE_LIST,
      payments: NO_PAYMENT_PROVIDER,
      metrics: NOTHING_RECORDED,
      closeBillingMonth: () => Promise.reject(new Error('no month is closed here')),
      embedder: new FakeEmbedder(),
      files: NO_FILES,
      pagesUrl: null,
      paceMessages: () => Promise.reject(new Error('no scheduled message is paced here')),
      wakeMessage: () => Promise.reject(new Error('no message is woken here')),
      tellMessage: () => Promise.reject(new Error('no workflow of a message is told here')),
      wakeDeadLetterJob: () => Promise.reject(new Error('no dead letters are retried here')),
      wakeMemoryJob: () => Promise.reject(new Error('no memory job is started here')),
      fanOutEvent: () => Promise.reject(new Error('no event is fanned out here')),
      sendEmail: () => Promise.reject(new Error('no e-mail is sent here')),
      putSchedule: () => Promise.reject(new Error('no schedule is made here')),
      forgetSchedule: () => Promise.reject(new Error('no schedule is deleted here')),
      startFiring: () => Promise.reject(new Error('no schedule is fired here')),
      tellWaiter: () => Promise.reject(new Error('nobody waits in line here')),
      inFlightCaps: { dispatch: 20, delivery: 20, provider_read: 10, notification: 10, maintenance: 5 },
      laneTakers: new LaneTakers(),
      dispatchSlots: new CallSlots(100),
      heartbeatTimeoutMs: HEARTBEAT_TIMEOUT_MS,
      sendRequest: () => Promise.reject(new Error('no message is sent here')),
      watchdog: WATCHDOG,
      logger: pino({ level: 'silent' }),
      ...overrides,
    };
  }

  /** The activities of a worker whose connections are lost at its next transactions, as listed. */
  losing(losses: readonly Loss[], overrides: Partial<ActivityDependencies> = {}): TestActivities {
    return this.activities({ db: this.losingDatabase(losses), ...overrides });
  }

  losingDatabase(losses: readonly Loss[]): Database {
    const db = new LossyDatabase({ url: this.database.applicationUrl, applicationName: 'test-lossy', poolMax: 2 });
    db.losses.push(...losses);
    this.lossy.push(db);
    return db;
  }

  /** An action and an admitted invocation of it, governed by default. */
  async admit(admission: Admission = {}): Promise<InvocationRef & { actionId: string; actionName: string }> {
    const definition = definitionOf(admission);
    const { tenant } = this.database;
    const name = `test.${randomUUID()}`;
    const { action, invocation } = await this.transaction(async (tx) => {
      const made = await createAction(tx, {
        environmentId: tenant.environmentId,
        name,
        description: null,
        version: { definition, digest: digestOf(definition as unknown as Json), createdBy: AUTHOR, changeNote: null },
      });
      const admitted = await admitInvocation(tx, {
        actionId: made.id,
        versionId: made.currentVersion.id,
        operationKey: null,
        requestDigest: 'sha256:0',
        input: admission.input ?? {},
        requestedBy: admission.requestedBy ?? AUTHOR,
        connectedAppId: admission.connectedAppId ?? null,
        retryOf: null,
        runId: null,
        agentId: null,
        dependsOn: admission.dependsOn ?? [],
      });
      return { action: made, invocation: admitted };
    });
    return { ...tenant, invocationId: invocation.id, actionId: action.id, actionName: name };
  }

  /** Admitted, evaluated and marked: the dispatch comes next. */
  async ready(admission: Admission = {}): Promise<EffectRef> {
    const ref = await this.admit(admission);
    const judged = await this.activities().judgeInvocation(ref);
    if (judged.next !== 'send') throw new Error(`expected it to be sent next, not ${judged.next}`);
    return { ...ref, effectId: judged.effectId ?? '' };
  }

  transaction<T>(work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> {
    return this.database.db.withEnvironment(this.database.tenant, work);
  }

  async recorded({ invocationId }: Pick<InvocationRef, 'invocationId'>): Promise<Recorded> {
    const [row] = await this.database.asOwner<{ recorded: Recorded }>(RECORDED, [invocationId]);
    if (!row) throw new Error('a query without a table answers one row');
    return row.recorded;
  }
}

const POOL_MAX = 20;
const AUTHOR = { type: 'api_key', id: 'key_test' };

const RECORDED = `
  SELECT jsonb_build_object(
    'invocation', (SELECT to_jsonb(i) FROM invocations i WHERE i.id = $1),
    'effects', COALESCE((SELECT jsonb_agg(to_jsonb(e)) FROM effects e WHERE e.invocation_id = $1), '[]'),
    'attempts', COALESCE((SELECT jsonb_agg(to_jsonb(a) || jsonb_build_object('claimed', a.claimed_at IS NOT NULL) ORDER BY a.number)
                          FROM attempts a WHERE a.invocation_id = $1), '[]'),
    'evidence', COALESCE((SELECT jsonb_agg(to_jsonb(v) ORDER BY r.sequence)
                          FROM evidence v JOIN effects e ON e.id = v.effect_id JOIN receipt_entries r ON r.record_id = v.id AND r.kind = 'evidence'
                          WHERE e.invocation_id = $1), '[]')) AS recorded`;

function definitionOf({ config, definition }: Admission): ActionDefinition {
  const parsed = httpRequestDescriptor.parseConfig({ method: 'POST', url: 'http://127.0.0.1:9/', ...config });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return {
    adapter: { type: httpRequestDescriptor.type, version: httpRequestDescriptor.version, config: parsed.config },
    inputSchema: { type: 'object' },
    outputSchema: null,
    governed: true,
    impact: [],
    verify: null,
    approval: { required: false, tag: null },
    timeoutMs: 5_000,
    ...definition,
  };
}
