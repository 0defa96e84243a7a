import { NotificationListener } from '../db/announcements/notification-listener.ts';
import { PRODUCT } from '../domain/product.ts';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { createChatClient } from '../activities/adapters/chat/chat-client.ts';
import { createClientDocumentFetcher } from '../activities/adapters/http-request/fetch-client-document.ts';
import { createDocumentFetcher } from '../activities/adapters/http-request/fetch-document.ts';
import type { OwnEndpoints } from '../activities/adapters/http-request/own-endpoints.ts';
import type { Resolve } from '../activities/adapters/http-request/resolve.ts';
import type { Watchdog } from '../activities/adapters/watchdog.ts';
import { WorkerWatch } from '../api/health/worker-watch.ts';
import type { HttpLimits } from '../api/http/http-server.ts';
import type { Configuration } from '../domain/configuration/configuration.ts';
import type { EgressAllow } from '../domain/egress.ts';
import { activityQueue, TASK_QUEUE } from '../temporal/task-queues.ts';

interface WaysOut {
  egressAllow: EgressAllow;
  ownEndpoints: OwnEndpoints;
  resolve: Resolve;
  watchdog: Pick<Watchdog, 'run'>;
  chats: { slackBaseUrl: string; discordBaseUrl: string };
}

/** How an API reaches others. */
export function waysOut({ egressAllow, ownEndpoints, resolve, watchdog, chats }: WaysOut) {
  const sending = { egressAllow, ownEndpoints, resolve, watchdog };
  return {
    egressAllow,
    fetchDocument: createDocumentFetcher(sending),
    fetchClientDocument: createClientDocumentFetcher(sending),
    chat: createChatClient({ ...sending, ...chats }),
  };
}

/** An API that runs invocations polls the queue of the workflows itself, and none of the others. */
export function watchesOf(temporal: Client, logger: Logger): Record<'workers' | 'workerProcesses', WorkerWatch> {
  const others = activityQueue(TASK_QUEUE, 'maintenance');
  return {
    workers: new WorkerWatch({ temporal, taskQueue: TASK_QUEUE, polls: 'workflows', logger }),
    workerProcesses: new WorkerWatch({ temporal, taskQueue: others, polls: 'activities', logger }),
  };
}

export const APPLICATION_NAME = `${PRODUCT.id}-api`;

/** The connection on which the API is told of commits of other processes. */
export function listenerOf(url: string, logger: Logger): NotificationListener {
  return new NotificationListener({
    url,
    applicationName: `${APPLICATION_NAME}-listen`,
    onError: (error, context) =>
      logger.warn({ ...context, message: error.message }, 'the notification connection is away'),
  });
}

/** The connection settings of the configuration. */
export function httpLimitsOf(configuration: Configuration<'api'> | Configuration<'embedded'>): HttpLimits {
  return {
    connectionsMax: configuration.HTTP_CONNECTIONS_MAX,
    connectionsPerAddressMax: configuration.HTTP_CONNECTIONS_PER_ADDRESS_MAX,
    headersTimeoutMs: configuration.HTTP_HEADERS_TIMEOUT_SECONDS * 1000,
    requestTimeoutMs: configuration.HTTP_REQUEST_TIMEOUT_SECONDS * 1000,
  };
}

/** Where the chat systems are reached. */
export function chatsOf(
  configuration: Pick<Configuration<'api'>, 'SLACK_API_BASE_URL' | 'DISCORD_API_BASE_URL'>,
): WaysOut['chats'] {
  return { slackBaseUrl: configuration.SLACK_API_BASE_URL, discordBaseUrl: configuration.DISCORD_API_BASE_URL };
}
