import { Agent, request } from 'node:http';
import { Client, type Connection } from '@temporalio/client';
import { Client as PostgresClient } from 'pg';
import { startModule } from '../invoke/child.ts';
import type { RunningService } from '../invoke/service.ts';
import { messageOf, pidOf, type Side, type WorkerTask } from './side.ts';

const NAMESPACE = 'default';
const BARE_TASK_QUEUE = 'bench-bare';

/** The service over HTTP, with a key of its first workspace. */
export async function startServiceSide(service: RunningService, receiverUrl: string): Promise<Side> {
  const { baseUrl, keys, databaseOwnerUrl } = service.credentials;
  const key = keys.find(({ environment, name }) => environment === 'development' && name === 'all_scopes')?.key;
  if (key === undefined || databaseOwnerUrl === null) throw new Error('the embedded stack has a key and an owner');
  const owner = new PostgresClient({ connectionString: databaseOwnerUrl });
  await owner.connect();
  const agent = new Agent({ keepAlive: true });
  const post = (path: string, body: unknown): Promise<void> => {
    const text = JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    return new Promise((resolve, reject) => {
      const call = request(new URL(path, baseUrl), { method: 'POST', agent, headers }, (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
        response.once('error', reject);
        response.once('end', () => {
          if (response.statusCode === 200 || response.statusCode === 201) resolve();
          else reject(new Error(`${path} answered ${response.statusCode}: ${answer}`));
        });
      });
      call.once('error', reject);
      call.end(text);
    });
  };
  const messageFor = (number: string) => ({ url: receiverUrl, body: messageOf(number) });
  return {
    name: 'service',
    publish: (number) => post('/api/v2/messages/publish', messageFor(number)),
    publishBatch: (numbers) => post('/api/v2/messages/batch', { messages: numbers.map(messageFor) }),
    isSettled: async () => {
      const { rows } = await owner.query<{ found: boolean }>('SELECT EXISTS (SELECT FROM lane_queue) AS found');
      return rows[0]?.found === false;
    },
    countAttempts: async () => {
      const { rows } = await owner.query<{ count: string }>(
        `SELECT count(*) FROM message_attempts WHERE status = 'completed' AND response_status = 200`,
      );
      return Number(rows[0]?.count);
    },
    pid: service.pid,
    stop: () => owner.end(),
  };
}

/** A workflow of one activity, on the service's Temporal. */
export async function startBareSide(connection: Connection, task: WorkerTask): Promise<Side> {
  const { child } = await startModule('../delivery/bare-worker.js', [JSON.stringify(task), NAMESPACE, BARE_TASK_QUEUE]);
  const client = new Client({ connection, namespace: NAMESPACE });
  return {
    name: 'bare',
    publish: async (number) => {
      await client.workflow.start('bareDeliver', {
        workflowId: `bare-${number}`,
        taskQueue: BARE_TASK_QUEUE,
        args: [messageOf(number)],
      });
    },
    publishBatch: null,
    isSettled: () => noneRuns(client),
    countAttempts: () => Promise.resolve(null),
    pid: pidOf(child),
    stop: () => child.stop(),
  };
}

async function noneRuns(client: Client): Promise<boolean> {
  const { count } = await client.workflow.count(`ExecutionStatus = 'Running' AND WorkflowType = 'bareDeliver'`);
  return count === 0;
}
