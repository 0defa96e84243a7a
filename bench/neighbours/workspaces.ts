import { Agent, request } from 'node:http';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import type { Database, Tenant } from '../../db/client.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { createWorkspace, ENVIRONMENT_KINDS } from '../../db/environments/workspaces.ts';

/** A workspace on the plan without a rate limit, and a key of its first environment. */
export interface Caller {
  tenant: Tenant;
  key: string;
  post(path: string, body: unknown): Promise<{ status: number; body: string }>;
  /** Sends a request and hangs up when `leave` resolves, without waiting for the reply. */
  postAndLeave(path: string, body: unknown, leave: Promise<void>): Promise<void>;
}

export async function createCaller(db: Database, baseUrl: string, name: string): Promise<Caller> {
  const { workspaceId, environments } = await createWorkspace(db, name, 'enterprise', ENVIRONMENT_KINDS);
  const tenant = { workspaceId, environmentId: environments[0]?.id ?? '' };
  const { key } = await db.withEnvironment(tenant, (tx) => createApiKey(tx, { name: 'bench', scopes: SCOPES }));
  const agent = new Agent({ keepAlive: true });
  const send = (path: string, body: unknown) => {
    const text = JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    const call = request(new URL(path, baseUrl), { method: 'POST', agent, headers });
    call.end(text);
    return call;
  };
  return {
    tenant,
    key,
    post: (path, body) =>
      new Promise((resolve, reject) => {
        send(path, body)
          .once('error', reject)
          .once('response', (response) => {
            let text = '';
            response.setEncoding('utf8');
            response.on('data', (chunk: string) => (text += chunk));
            response.once('error', reject);
            response.once('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
          });
      }),
    postAndLeave: async (path, body, leave) => {
      const call = send(path, body).on('error', () => undefined); // we hang up ourselves
      await leave;
      call.destroy();
    },
  };
}

/** As `post`, of which nothing but success will do: a benchmark counts no failures. */
export async function mustPost(caller: Caller, path: string, body: unknown): Promise<string> {
  const reply = await caller.post(path, body);
  if (reply.status >= 300) throw new Error(`POST ${path} answered ${reply.status}: ${reply.body}`);
  return reply.body;
}

export async function createAction(caller: Caller, name: string, url: string, timeoutMs: number): Promise<void> {
  await mustPost(caller, '/api/v2/actions', {
    name,
    governed: true,
    timeoutMs,
    adapter: { type: 'http.request', config: { method: 'POST', url } },
  });
}
