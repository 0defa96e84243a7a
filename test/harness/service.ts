import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { pino } from 'pino';
import { inject } from 'vitest';
import { type AdapterFor, createAdapters, createSender } from '../../activities/adapters/index.ts';
import { createWorker, type WorkerGroup, type WorkerSlots } from '../../activities/create-worker.ts';
import { createActivities } from '../../activities/index.ts';
import { wakeApproval } from '../../api/approvals/wake-approval.ts';
import { tellWaiter } from '../../api/in-flight/tell-waiter.ts';
import { startInvocationWorkflow } from '../../api/invocations/start-invocation-workflow.ts';
import { startReadsWorkflow } from '../../api/reconciliation/reconciliation-workflows.ts';
import { wakeMessageWorkflow } from '../../api/messages/message-workflows.ts';
import { Vault } from '../../db/secrets/vault.ts';
import type { InFlightCaps } from '../../domain/in-flight.ts';
import { activityQueue } from '../../temporal/task-queues.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../domain/egress.ts';
import { type CallResult, startTestApi, type TestApi, type TestApiOptions } from '../api/harness/test-api.ts';
import { WATCHDOG } from './watchdog.ts';

export interface TestService extends TestApi {
  /** A key of the development environment with every scope. */
  key: string;
  taskQueue: string;
  client: Client;
  /** Lines of the worker's log, at trace level. */
  workerLogLines: string[];
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<CallResult>;
  get(path: string): Promise<CallResult>;
}

export interface TestServiceOptions {
  /** Addresses that the egress guard lets through; the loopback unless a test says otherwise. */
  egressAllow?: string;
  /** Fakes in the place of the providers (test/harness/providers). */
  providers?: { stripeBaseUrl?: string; resendBaseUrl?: string };
  /** False: only the API runs, and what it starts waits for a worker. */
  worker?: boolean;
  /** Puts a double in the place of an adapter's sending half, or of what it declares. */
  adapterFor?: (real: AdapterFor) => AdapterFor;
  slots?: WorkerSlots;
  /** How many calls a workspace has under way at most; 20 of each kind unless a test says otherwise. */
  inFlightCaps?: InFlightCaps;
  /** Called with every reply before it is stored or sent; else replies are held to their schemas. */
  onReply?: NonNullable<TestApiOptions['onReply']>;
}

/** API and worker in this process over real HTTP, on a database and a task queue of their own. Close it in `afterAll`. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const stack = inject('stack');
  const taskQueue = `test-${randomUUID()}`;
  const vault = Vault.fromMasterKeys(`1:${randomBytes(32).toString('base64')}`);
  const api = await startTestApi({
    ...(options.onReply === undefined ? {} : { onReply: options.onReply }),
    taskQueue,
    vault,
  });
  const egressAllow = parseEgressAllow(options.egressAllow ?? LOOPBACK_EGRESS);
  const workerLogLines: string[] = [];
  const connection = await NativeConnection.connect({ address: stack.temporalAddress });
  const client = new Client({ connection, namespace: stack.temporalNamespace });
  const activities = createActivities({
    db: api.deps.db,
    vault,
    adapterFor: (options.adapterFor ?? ((real) => real))(createAdapters({ egressAllow, ...options.providers })),
    sendRequest: createSender({ egressAllow }),
    watchdog: WATCHDOG,
    startReads: (ref, kind) => startReadsWorkflow(client, ref, kind, taskQueue),
    wakeApproval: (ref) => wakeApproval(client, ref, { taskQueue }),
    wakeMessage: (ref) => wakeMessageWorkflow(client, ref, { taskQueue }),
    tellWaiter: (kind, holder) => tellWaiter(client, kind, holder),
    inFlightCaps: options.inFlightCaps ?? { dispatch: 20, delivery: 20 },
    startInvocation: (ref) => startInvocationWorkflow(client, ref, { eager: false, taskQueue }),
    logger: pino({ level: 'trace' }, { write: (line: string) => void workerLogLines.push(line) }),
  });
  let worker: WorkerGroup | null = null;
  let running: Promise<void> = Promise.resolve();
  if (options.worker !== false) {
    const { temporalNamespace: namespace, workflowBundlePath } = stack;
    worker = await createWorker({
      connection,
      namespace,
      taskQueue,
      activityQueue,
      ...(options.slots === undefined ? {} : { slots: options.slots }),
      workflowBundlePath,
      activities,
      shutdownGraceMs: 1_000,
    });
    running = worker.run();
  }
  const { key } = await api.createKey(api.database.tenant);
  return {
    ...api,
    key,
    taskQueue,
    client,
    workerLogLines,
    post: (path, body, headers = {}) => api.call('POST', path, { key, body, headers }),
    get: (path) => api.call('GET', path, { key }),
    close: async () => {
      worker?.shutdown();
      await running;
      await connection.close();
      await api.close();
    },
  };
}
