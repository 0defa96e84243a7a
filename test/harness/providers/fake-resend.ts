import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../domain/json.ts';
import { isJsonObject } from '../../../domain/json.ts';
import { startProvider, type ProviderReply, type ProviderRequest, type ProviderServer } from './provider-server.ts';

/**
 * A Resend that sends: `POST /emails` and `GET /emails/{id}`. One key sends one email, and the same request under it answers
 * its id again; another payload under it is 409 `invalid_idempotent_request`; a key in flight is 409 too.
 *
 * Beside the faults of provider-server.ts, for `failNext`:
 * - `invalid` 422; `unauthorized` 401; `key_in_use` 409
 * - `no_id`: it is sent, and the 200 holds no id
 * - `send_failed`: it is taken, and the email's own record says `failed` afterwards
 * - `lag`: it is sent and answered, and the first two reads answer 404
 */
export const RESEND_FAULTS = ['invalid', 'unauthorized', 'key_in_use', 'no_id', 'send_failed', 'lag'] as const;
export type ResendFault = (typeof RESEND_FAULTS)[number];

const LAGGING_READS = 2;

const isResendFault = (fault: string): fault is ResendFault => (RESEND_FAULTS as readonly string[]).includes(fault);

export interface FakeEmail {
  id: string;
  key: string | null;
  email: JsonObject;
  lastEvent: string;
  hiddenFor: number;
}

export interface FakeResend extends ProviderServer<ResendFault> {
  /** May send and read. */
  fullKey: string;
  /** May only send: a read is 401 `restricted_api_key`. */
  sendingKey: string;
  emails: FakeEmail[];
  emailsOf(key: string): FakeEmail[];
}

export async function startFakeResend(): Promise<FakeResend> {
  const emails: FakeEmail[] = [];
  const saved = new Map<string, { bodyDigest: string; reply: ProviderReply | null }>();
  const fullKey = 're_full_FakeFakeFakeFake';
  const sendingKey = 're_send_FakeFakeFakeFake';

  const send = (request: ProviderRequest & { body: string }, fault: ResendFault | null): ProviderReply => {
    if (fault === 'invalid') return errorReply(422, 'validation_error', 'Invalid `to` field');
    const key = keyOf(request);
    const before = key === null ? undefined : saved.get(key);
    if (fault === 'key_in_use' || before?.reply === null) {
      return errorReply(409, 'concurrent_idempotent_requests', 'The key is in use');
    }
    if (before !== undefined) {
      if (before.bodyDigest === digest(request.body)) return before.reply;
      return errorReply(409, 'invalid_idempotent_request', 'The key was used with another payload');
    }
    const email = JSON.parse(request.body) as unknown;
    if (!isJsonObject(email)) return errorReply(400, 'validation_error', 'no object');
    const id = `00000000-0000-4000-8000-${String(emails.length + 1).padStart(12, '0')}`;
    emails.push({
      id,
      key,
      email,
      lastEvent: fault === 'send_failed' ? 'failed' : 'delivered',
      hiddenFor: fault === 'lag' ? LAGGING_READS : 0,
    });
    const reply: ProviderReply = { status: 200, body: { id } };
    if (key !== null) saved.set(key, { bodyDigest: digest(request.body), reply });
    return fault === 'no_id' ? { status: 200, body: {} } : reply;
  };

  const read = (id: string): ProviderReply => {
    const found = emails.find((candidate) => candidate.id === id);
    if (found === undefined || found.hiddenFor-- > 0) return errorReply(404, 'not_found', 'Email not found');
    return { status: 200, body: { object: 'email', id, ...found.email, last_event: found.lastEvent } };
  };

  const server = await startProvider<ResendFault>(
    {
      handle(request, fault) {
        const token = request.headers.authorization?.replace(/^Bearer /, '');
        if ((token !== fullKey && token !== sendingKey) || fault === 'unauthorized') {
          return errorReply(401, 'invalid_api_key', 'API key is invalid');
        }
        if (request.headers['user-agent'] === undefined) return errorReply(403, 'forbidden', 'error code: 1010');
        if (request.method === 'POST' && request.path === '/emails') return send(request, fault);
        const [, id] = /^\/emails\/([0-9a-f-]+)$/.exec(request.path) ?? [];
        if (request.method !== 'GET' || id === undefined) return errorReply(404, 'not_found', 'no such route');
        if (token === sendingKey) return errorReply(401, 'restricted_api_key', 'This API key is restricted to sending');
        return read(id);
      },
      begin(request) {
        const key = keyOf(request);
        if (key !== null && !saved.has(key)) saved.set(key, { bodyDigest: digest(request.body), reply: null });
      },
      refusal: (status) =>
        errorReply(status, status === 429 ? 'rate_limit_exceeded' : 'internal_server_error', 'Resend has a bad day'),
    },
    isResendFault,
  );
  return Object.assign(server, {
    fullKey,
    sendingKey,
    emails,
    emailsOf: (key: string) => emails.filter((email) => email.key === key),
  });
}

function keyOf(request: ProviderRequest): string | null {
  const key = request.headers['idempotency-key'];
  return typeof key === 'string' ? key : null;
}

function digest(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}

function errorReply(statusCode: number, name: string, message: string): ProviderReply {
  return { status: statusCode, body: { statusCode, name, message } };
}
