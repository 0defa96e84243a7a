import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Child, lostThePort } from './child-process.ts';
import type { DataFolder } from './data-folder.ts';
import { callJson } from './http-json.ts';
import { freePort, isPortFree, LOOPBACK } from './ports.ts';
import { readOrCreatePrivately } from './private-file.ts';
import { projectRoot } from '../process/project-root.ts';

export const DEMO_ACTION = 'demo.echo';
/** The same call, read back from its target afterwards. */
export const DEMO_VERIFIED_ACTION = 'demo.echo_verified';
const DEMO_SECRET = 'demo_credential';
const READY_TIMEOUT_MS = 10_000;
const STOP_GRACE_MS = 3_000;
const FREE_PORT_TRIES = 5;
const CREDENTIAL_BYTES = 24;

export interface DemoTarget {
  port: number;
  payments: { url: string; key: string };
  slack: { webhookUrl: string; signingSecret: string };
  stop(): Promise<void>;
}

export async function startDemoTarget(folder: DataFolder): Promise<DemoTarget> {
  readCredential(folder);
  const paymentsKey = readPaymentsKey(folder);
  const slack = readSlackCredentials(folder);
  const last = folder.readState().demoTargetPort;
  let port = last !== undefined && (await isPortFree(last)) ? last : await freePort();
  for (let attempt = 1; ; attempt++) {
    const child = launch(folder, port);
    const stop = (): Promise<void> => child.stop('SIGTERM', STOP_GRACE_MS);
    try {
      await child.waitUntil(() => answers(port), READY_TIMEOUT_MS);
      folder.changeState({ demoTargetPort: port });
      const url = `http://${LOOPBACK}:${port}`;
      return {
        port,
        payments: { url, key: paymentsKey },
        slack: {
          webhookUrl: `${url}/slack/services/T0DEMO/B0DEMO/${slack.webhookToken}`,
          signingSecret: slack.signingSecret,
        },
        stop,
      };
    } catch (error) {
      await stop();
      if (attempt >= FREE_PORT_TRIES || !lostThePort(error)) throw error;
      port = await freePort();
    }
  }
}

/** Stores the demo's credential as a secret and makes its two actions through the API, like every client. */
export async function ensureDemo(options: {
  folder: DataFolder;
  baseUrl: string;
  apiKey: string;
  workspaceId: string;
  targetPort: number;
}): Promise<void> {
  const { folder, workspaceId, targetPort } = options;
  const ready = folder.readState().demoReady;
  // Another database has another workspace, without the demo.
  if (ready?.workspaceId === workspaceId && ready.targetPort === targetPort) return;
  const call = caller(options.baseUrl, options.apiKey);
  await call('PUT', `/api/v2/secrets/${DEMO_SECRET}`, {
    value: readCredential(folder),
    description: 'What the demo target asks for.',
  });
  for (const { name, ...definition } of demoActions(targetPort)) {
    const found = await call('GET', `/api/v2/actions/${name}`, undefined, [404]);
    if (found.status === 404) await call('POST', '/api/v2/actions', { name, ...definition });
    else await call('PATCH', `/api/v2/actions/${name}`, definition);
  }
  folder.changeState({ demoReady: { workspaceId, targetPort } });
}

function demoActions(targetPort: number) {
  const target = `http://${LOOPBACK}:${targetPort}/echoes`;
  const headers = { 'X-Demo-Credential': `{{secret:${DEMO_SECRET}}}` };
  const adapter = {
    type: 'http.request',
    config: {
      method: 'POST',
      url: target,
      headers,
      body: { message: '{{input.message}}' },
      idempotencyHeader: 'Idempotency-Key',
    },
  };
  const inputSchema = {
    type: 'object',
    properties: { message: { type: 'string', maxLength: 1000 } },
    required: ['message'],
    additionalProperties: false,
  };
  const common = { adapter, inputSchema, governed: true };
  return [
    { ...common, name: DEMO_ACTION, description: 'Sends a message to the demo target of this stack.' },
    {
      ...common,
      name: DEMO_VERIFIED_ACTION,
      description: 'The same, and reads back what the target did: its grade is confirmed.',
      verify: {
        request: { method: 'GET', url: `${target}/{{effect.id}}`, headers },
        expect: [{ path: 'body.state', op: 'eq', value: 'done' }],
      },
    },
  ];
}

type Call = (method: string, target: string, body?: unknown, alsoFine?: number[]) => Promise<{ status: number }>;

function caller(baseUrl: string, apiKey: string): Call {
  return async (method, target, body, alsoFine = []) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const reply = await callJson(`${baseUrl}${target}`, { method, headers, ...(body === undefined ? {} : { body }) });
    if (reply.status < 300 || alsoFine.includes(reply.status)) return reply;
    throw new Error(`${method} ${target} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  };
}

function readCredential(folder: DataFolder): string {
  return readOrCreatePrivately(folder.file('demo-credential'), () => randomBytes(CREDENTIAL_BYTES).toString('hex'));
}

function readPaymentsKey(folder: DataFolder): string {
  return readOrCreatePrivately(
    folder.file('demo-payments-key'),
    () => `demo_${randomBytes(CREDENTIAL_BYTES).toString('hex')}`,
  );
}

function readSlackCredentials(folder: DataFolder): { webhookToken: string; signingSecret: string } {
  const readOrCreate = (name: string): string =>
    readOrCreatePrivately(folder.file(name), () => randomBytes(CREDENTIAL_BYTES).toString('hex'));
  return { webhookToken: readOrCreate('demo-slack-webhook'), signingSecret: readOrCreate('demo-slack-secret') };
}

function launch(folder: DataFolder, port: number): Child {
  return new Child({
    name: 'The demo target',
    command: process.execPath,
    args: [
      path.join(projectRoot(), 'dist', 'demo', 'server.js'),
      `--port=${port}`,
      `--journal=${folder.file('demo-target.jsonl')}`,
      `--credential=${folder.file('demo-credential')}`,
      `--payments-journal=${folder.file('demo-payments.jsonl')}`,
      `--payments-credential=${folder.file('demo-payments-key')}`,
      `--slack-webhook-token=${folder.file('demo-slack-webhook')}`,
      `--slack-signing-secret=${folder.file('demo-slack-secret')}`,
    ],
    logFile: folder.file('demo-target.log'),
    signalOnParentDeath: 'SIGTERM',
  });
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await callJson(`http://${LOOPBACK}:${port}/healthz`)).status === 200;
  } catch {
    return false; // it does not listen yet
  }
}
