import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Client } from '@temporalio/client';
import { callJson } from '../../embedded/http-json.ts';
import type { Call } from './load.ts';

const ACTION = 'bench.order';
const SECRET = 'bench_credential';
const MESSAGE = 'hello';

/** The governed side: an action at the target, called over HTTP with a key that may do nothing else. */
export async function prepareGoverned(
  credentials: { baseUrl: string; keys: readonly { environment: string; name: string; key: string }[] },
  targetUrl: string,
  options: { idempotencyKey: boolean; secret: boolean; isSetUp?: boolean },
): Promise<Call> {
  const keyOf = (name: string): string =>
    credentials.keys.find((key) => key.environment === 'development' && key.name === name)?.key ?? '';
  const headers = { authorization: `Bearer ${keyOf('full_access')}` };
  const setUp = async (method: string, target: string, body: unknown): Promise<void> => {
    const reply = await callJson(`${credentials.baseUrl}${target}`, { method, headers, body });
    if (reply.status >= 300) throw new Error(`${method} ${target} answered ${JSON.stringify(reply)}`);
  };
  const call = governedCall(credentials.baseUrl, keyOf('standard'), options.idempotencyKey);
  if (options.isSetUp === true) return call;
  await setUp('PUT', `/api/v2/secrets/${SECRET}`, { value: randomUUID() });
  await setUp('POST', '/api/v2/actions', {
    name: ACTION,
    governed: true,
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    adapter: {
      type: 'http.request',
      config: {
        method: 'POST',
        url: targetUrl,
        headers: options.secret ? { authorization: `Bearer {{secret:${SECRET}}}` } : {},
        body: { message: '{{input.message}}' },
        idempotencyHeader: 'Idempotency-Key',
      },
    },
  });
  return call;
}

/** Uses keep-alive connections, as a client does. Throws if the reply has no receipt of success. */
function governedCall(baseUrl: string, key: string, withIdempotencyKey: boolean): Call {
  const agent = new Agent({ keepAlive: true });
  const url = new URL(`/api/v2/actions/${ACTION}/invoke`, baseUrl);
  const body = JSON.stringify({ input: { message: MESSAGE } });
  return () =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(withIdempotencyKey ? { 'idempotency-key': randomUUID() } : {}),
      };
      const call = request(url, { method: 'POST', agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.once('error', reject);
        response.once('end', () => {
          const { data } = JSON.parse(text) as { data?: { status: string; grade: string } };
          if (response.statusCode === 200 && data?.status === 'succeeded' && data.grade === 'acknowledged') resolve();
          else reject(new Error(`an invocation was answered ${response.statusCode}: ${text}`));
        });
      });
      call.once('error', reject);
      call.end(body);
    });
}

/** The bare side: what a user would call without this service. */
export function bareCall(client: Client, taskQueue: string, targetUrl: string): Call {
  const input = { url: targetUrl, message: MESSAGE };
  return async () => {
    const result = (await client.workflow.execute('bareInvoke', {
      workflowId: `bare/${randomUUID()}`,
      taskQueue,
      args: [input],
    })) as { status: string };
    if (result.status !== 'succeeded') throw new Error(`a bare workflow ended ${result.status}`);
  };
}
