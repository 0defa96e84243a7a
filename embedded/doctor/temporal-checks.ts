import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { type Check, fail, type Finding, ok, skipped } from './check.ts';
import { SEARCH_ATTRIBUTES } from '../../temporal/search-attributes.ts';
import type { Subject } from './subject.ts';
import { textOf } from './run-checks.ts';

const PAGE = 'operations.md#temporal';
/** The first with worker heartbeats, by which a lost worker shows within 30 s, and with fairness between workspaces. */
const VERSION_MIN = [1, 29] as const;
const DAY_SECONDS = 86_400;
/** A dev server keeps a namespace for a day. Any other should keep a week of histories to look into. */
const RETENTION_DAYS_MIN = { dev: 1, other: 7 };
const SKEW_MS_MAX = 2_000;
const POLL_MS = 2_500;
const LOOK_INTERVAL_MS = 50;
/** The server's `matching.maxVersionsInDeployment` is 100: beyond it a new build cannot register, and says nothing. */
const VERSIONS_MAX = 80;
const ACTIVITIES = 2;
const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : null);

/** Temporal and its namespace. */
export const TEMPORAL_CHECKS: readonly Check[] = [
  {
    name: 'temporal',
    page: PAGE,
    holds: 'Temporal answers at TEMPORAL_ADDRESS',
    run: async (subject) => {
      const { TEMPORAL_ADDRESS: address } = subject.settings.values;
      if (address === null) return fail('TEMPORAL_ADDRESS is not set', 'set it to host:port of Temporal’s frontend');
      const remedy = 'start it, or correct TEMPORAL_ADDRESS, its TLS and its API key';
      try {
        await subject.temporal();
      } catch (error) {
        return fail(error instanceof Error ? error.message : String(error), remedy);
      }
      try {
        await (await subject.temporal()).workflowService.getSystemInfo({});
        return ok(`Temporal answers at ${address}.`);
      } catch (error) {
        return fail(`Temporal does not answer at ${address} (${textOf(error)})`, remedy);
      }
    },
  },
  {
    name: 'temporal-version',
    page: PAGE,
    holds: 'Temporal’s server is version 1.29 or newer',
    needs: ['temporal'],
    run: async (subject) => {
      const { serverVersion } = await (await subject.temporal()).workflowService.getSystemInfo({});
      return judgeVersion(serverVersion);
    },
  },
  {
    name: 'namespace',
    page: PAGE,
    holds: 'TEMPORAL_NAMESPACE exists',
    needs: ['temporal'],
    run: async (subject) => {
      try {
        await describeNamespace(subject);
        return ok(`The namespace ${subject.namespace} exists.`);
      } catch (error) {
        if (codeOf(error) !== NOT_FOUND) throw error;
        return fail(`Temporal has no namespace ${subject.namespace}`, 'run `npm run temporal:setup`, which makes it');
      }
    },
  },
  {
    name: 'retention',
    page: PAGE,
    holds: 'The namespace keeps closed workflows for a week (a day on a dev server)',
    needs: ['namespace'],
    run: async (subject) => {
      const [{ config }, store] = await Promise.all([describeNamespace(subject), persistenceStore(subject)]);
      const days = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / DAY_SECONDS;
      return judgeRetention(days, store);
    },
  },
  {
    name: 'search-attributes',
    page: 'operations.md#the-temporal-ui',
    holds: 'The namespace knows the search attributes',
    needs: ['namespace'],
    run: async (subject) => {
      const { operatorService } = await subject.temporal();
      const { customAttributes } = await operatorService.listSearchAttributes({ namespace: subject.namespace });
      const missing = Object.values(SEARCH_ATTRIBUTES).filter(
        ({ name }) => !Object.hasOwn(customAttributes ?? {}, name),
      );
      return missing.length > 0
        ? fail(
            `The namespace lacks the search attributes ${missing.map(({ name }) => name).join(', ')}, so workflows cannot start`,
            'run `npm run temporal:setup`',
          )
        : ok('The namespace knows every search attribute.');
    },
  },
  {
    name: 'temporal-clock',
    page: 'runbooks.md#clockskew',
    holds: 'This machine’s clock and Temporal’s agree within 2 s',
    needs: ['namespace'],
    run: async (subject) => judgeClock(await pollOnce(subject)),
  },
  {
    name: 'deployment-versions',
    page: 'upgrades.md#clean-up',
    holds: 'No worker deployment is near the most versions that Temporal keeps',
    needs: ['namespace'],
    run: async (subject) => judgeDeployments(await countVersions(subject)),
  },
];

const describeNamespace = async (subject: Subject) =>
  (await subject.temporal()).workflowService.describeNamespace({ namespace: subject.namespace });

/** `sqlite` on a dev server. Null where the server does not say, as Temporal Cloud. */
async function persistenceStore(subject: Subject): Promise<string | null> {
  const { workflowService } = await subject.temporal();
  return workflowService.getClusterInfo({}).then(
    ({ persistenceStore: store }) => store,
    () => null,
  );
}

export function judgeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < VERSION_MIN[0] || (major === VERSION_MIN[0] && minor < VERSION_MIN[1]);
  return isOld
    ? fail(`Temporal’s server is version ${version}, and workspaces share its queues fairly from 1.29 on`, 'upgrade it')
    : ok(`Temporal’s server is version ${version}.`);
}

export function judgeRetention(days: number, store: string | null): Finding {
  const wanted = store?.includes('sqlite') === true ? RETENTION_DAYS_MIN.dev : RETENTION_DAYS_MIN.other;
  return days < wanted
    ? fail(
        `The namespace keeps closed workflows for ${days} days, too short to look into what went wrong`,
        `temporal operator namespace update --retention ${wanted * 24}h`,
      )
    : ok(`The namespace keeps closed workflows for ${days} days.`);
}

export interface ClockReading {
  askedAtMs: number;
  seenAtMs: number;
  /** What the server says of the moment between the two. */
  serverMs: number;
}

export function judgeClock({ askedAtMs, seenAtMs, serverMs }: ClockReading): Finding {
  const skewMs = serverMs < askedAtMs ? askedAtMs - serverMs : Math.min(0, seenAtMs - serverMs);
  const seconds = (skewMs / 1_000).toFixed(1);
  return Math.abs(skewMs) > SKEW_MS_MAX
    ? fail(
        `This machine’s clock is ${seconds} s ahead of Temporal’s, so timers end at the wrong time`,
        'let both follow NTP',
      )
    : ok('This machine’s clock and Temporal’s agree.');
}

/** Temporal tells its time nowhere but where it dates what it saw: a poll of ours, on a queue that nobody else uses. */
async function pollOnce(subject: Subject): Promise<ClockReading> {
  const connection = await subject.temporal();
  const identity = `doctor-${randomUUID()}`;
  const stop = new AbortController();
  const taskQueue = { name: 'agent-actions/doctor' };
  const askedAtMs = Date.now();
  const poll = connection.withAbortSignal(stop.signal, () =>
    connection.withDeadline(askedAtMs + POLL_MS, () =>
      connection.workflowService.pollActivityTaskQueue({ namespace: subject.namespace, taskQueue, identity }),
    ),
  );
  poll.catch(() => undefined); // it ends when we do
  try {
    for (;;) {
      const seen = await seenPoll(connection, subject.namespace, taskQueue, identity);
      if (seen !== null) return { askedAtMs, seenAtMs: Date.now(), serverMs: seen };
      if (Date.now() - askedAtMs > POLL_MS) throw new Error('Temporal did not say when it saw a poll');
      await delay(LOOK_INTERVAL_MS);
    }
  } finally {
    stop.abort();
  }
}

async function seenPoll(
  { workflowService }: Connection,
  namespace: string,
  taskQueue: { name: string },
  identity: string,
): Promise<number | null> {
  const { pollers } = await workflowService.describeTaskQueue({ namespace, taskQueue, taskQueueType: ACTIVITIES });
  const time = pollers.find((poller) => poller.identity === identity)?.lastAccessTime;
  return time === undefined || time === null ? null : Number(time.seconds) * 1_000 + (time.nanos ?? 0) / 1e6;
}

/** The number of versions of each deployment; null where this server knows no deployments. */
async function countVersions(subject: Subject): Promise<Map<string, number> | null> {
  const { workflowService } = await subject.temporal();
  const { namespace } = subject;
  try {
    const { workerDeployments } = await workflowService.listWorkerDeployments({ namespace, pageSize: 100 });
    const counted = workerDeployments.map(async ({ name: deploymentName }) => {
      const { workerDeploymentInfo } = await workflowService.describeWorkerDeployment({
        namespace,
        deploymentName: deploymentName ?? '',
      });
      return [deploymentName ?? '', workerDeploymentInfo?.versionSummaries?.length ?? 0] as const;
    });
    return new Map(await Promise.all(counted));
  } catch (error) {
    if (codeOf(error) === UNIMPLEMENTED) return null;
    throw error;
  }
}

export function judgeDeployments(versions: ReadonlyMap<string, number> | null): Finding {
  if (versions === null || versions.size === 0) return skipped('The workers are not versioned.');
  const full = [...versions].filter(([, count]) => count > VERSIONS_MAX);
  return full.length > 0
    ? fail(
        `${full.map(([name, count]) => `${name} has ${count} versions`).join(', ')}, and beyond 100 a new build cannot register`,
        'run `npm run deploy -- prune`, which deletes those that are drained',
      )
    : ok(`${versions.size} worker deployments have at most ${Math.max(...versions.values())} versions.`);
}
