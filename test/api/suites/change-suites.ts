import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { expect } from 'vitest';
import type { AnyRoute } from '../../../api/http/define-route.ts';
import { saidOfTables } from '../../db/tenancy/planted-rows.ts';
import type { CallResult } from '../harness/test-api.ts';
import { expectError, expectSuccess, type Suite } from './suite.ts';
import { isMembersOwn, pathOf, type World } from './world.ts';

const AUDIT_PAGE = readFileSync(new URL('../../../docs/audit.md', import.meta.url), 'utf8');
/** The rows of "What leaves no entry, and why". */
const ROUTES_WITHOUT_ENTRY = new Set(
  [...AUDIT_PAGE.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([\w.]+)`/g)].map(([, id]) => id),
  ),
);

interface Entry {
  action: string;
  actor_type: string;
  actor_id: string | null;
  workspace_id: string;
  details: unknown;
}

/** Paths of webhooks often are credentials, and the audit log is never deleted. An app's URL is its public name. */
const URL_WITH_A_PATH = /https?:\/\/[^/"]+\/[^"]/;

/** An entry with the request that caused it, or a row of docs/audit.md that says why there is none. */
export const auditedSuite: Suite = {
  name: 'audited',
  title: 'leaves an audit entry of the request, or docs/audit.md says why not',
  covers: (route) => route.method !== 'GET',
  async check(world, route) {
    const requestId = `audited-${randomUUID()}`;
    const request = await world.requestFor(route);
    const reply = await world.sendAllowed(route, request, { headers: { 'X-Request-Id': requestId } });
    const findings = expectSuccess('its fixture', reply);
    const entries = await world.api.database.asOwner<Entry>(
      'SELECT action, actor_type, actor_id, workspace_id, details FROM audit_log WHERE request_id = $1',
      [requestId],
    );
    const isListed = ROUTES_WITHOUT_ENTRY.has(route.id);
    if (entries.length === 0 && !isListed) {
      findings.push(`it leaves no audit entry, and docs/audit.md does not say why ${route.id} leaves none`);
    }
    if (entries.length > 0 && isListed)
      findings.push(`docs/audit.md says that ${route.id} leaves no entry, and it does`);
    for (const { action, actor_type, actor_id, workspace_id, details } of entries) {
      if (!action.startsWith('app.') && URL_WITH_A_PATH.test(JSON.stringify(details)))
        findings.push(`${action} keeps a URL with its path`);
      if (actor_id === null) findings.push(`the actor of ${action} is an ${actor_type} without an id`);
      if (workspace_id !== world.api.database.tenants.development.workspaceId) {
        findings.push(`${action} stands in the log of another workspace`);
      }
    }
    return findings;
  },
};

interface Held {
  /** The actor id in records: the key's own, or the user's. */
  id: string;
  headers: Record<string, string>;
  /** Resolves once the API has looked the credential up. */
  untilSeen(): Promise<void>;
  revoke(): Promise<void>;
}

/** A new key or session. Its first use is recorded, which shows when it was looked up. */
async function credentialFor(world: World, route: AnyRoute): Promise<Held> {
  const { database } = world.api;
  const until = async (sql: string, id: string): Promise<void> => {
    await expect.poll(async () => (await database.asOwner(sql, [id])).length, { interval: 10 }).toBe(1);
  };
  if (!isMembersOwn(route) && route.of === 'environment') {
    const { key, record } = await world.api.createKey(database.tenants.development);
    return {
      id: record.id,
      headers: { Authorization: `Bearer ${key}` },
      untilSeen: () => until('SELECT 1 FROM api_keys WHERE id = $1 AND last_used_at IS NOT NULL', record.id),
      revoke: async () => {
        await database.asOwner('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [record.id]);
      },
    };
  }
  const { userId, sessionId, headers } = await world.person('owner');
  await database.asOwner(`UPDATE sign_in_sessions SET last_seen_at = now() - interval '5 minutes' WHERE id = $1`, [
    sessionId,
  ]);
  const seen = `SELECT 1 FROM sign_in_sessions WHERE id = $1 AND last_seen_at > now() - interval '4 minutes'`;
  return {
    id: userId,
    headers: { ...headers, 'X-Environment-Id': database.tenants.development.environmentId },
    untilSeen: () => until(seen, sessionId),
    revoke: async () => {
      await database.asOwner('DELETE FROM sign_in_sessions WHERE id = $1', [sessionId]);
    },
  };
}

/** Tables that a worker, or the look-up or revocation of a credential, writes during a request. Their areas declare them. */
const WRITTEN_BESIDE = saidOfTables('writtenBeside');

/** Rows of these tables that name their requester. */
const OF_A_CREDENTIAL = Object.entries(WRITTEN_BESIDE)
  .flatMap(([table, isOfIt]) => (isOfIt === null ? [] : [`SELECT '${table}' AS name FROM ${table} WHERE ${isOfIt}`]))
  .join(' UNION ALL ');

/** Each table's row count, and a checksum that changes with any row version. */
async function contentsOf(world: World): Promise<Map<string, string>> {
  const tables = await world.api.database.asOwner<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  const counts = tables
    .filter(({ name }) => !Object.hasOwn(WRITTEN_BESIDE, name))
    .map(
      ({ name }) =>
        `SELECT '${name}' AS name, count(*) || '/' || COALESCE(sum(xmin::text::bigint), 0) AS is FROM "${name}"`,
    );
  const rows = await world.api.database.asOwner<{ name: string; is: string }>(counts.join(' UNION ALL '));
  return new Map(rows.map(({ name, is }) => [name, is]));
}

/** Sends the head and the first byte of the body, does `meanwhile`, then sends the rest. */
export function sendSlowly(
  url: string,
  method: string,
  { headers, body, raw }: { headers: Record<string, string>; body?: unknown; raw?: Uint8Array | undefined },
  meanwhile: () => Promise<void>,
): Promise<CallResult> {
  const bytes = raw === undefined ? Buffer.from(JSON.stringify(body ?? {})) : Buffer.from(raw);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      url,
      { method, headers: { 'Content-Type': 'application/json', ...headers, 'Content-Length': bytes.length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const json: unknown = JSON.parse(text);
          const { link } = response.headers;
          resolve({
            status: response.statusCode ?? 0,
            headers: new Headers(link === undefined ? {} : { link: String(link) }),
            text,
            json,
          });
        });
      },
    );
    sent.on('error', reject);
    sent.write(bytes.subarray(0, 1));
    meanwhile().then(
      () => sent.end(bytes.subarray(1)),
      (error: unknown) => sent.destroy(error as Error),
    );
  });
}

/** The body is held open while the credential is revoked: the reply is then that of a new request, and nothing is written. */
export const heldCredentialSuite: Suite = {
  name: 'heldCredential',
  title: 'answers 401 to a credential that is revoked before its commit, and writes nothing',
  covers: (route) => route.method !== 'GET' && route.of !== 'public',
  async check(world, route) {
    const { headers: special = {}, ...request } = await world.requestFor(route);
    const { id, headers, untilSeen, revoke } = await credentialFor(world, route);
    let before = new Map<string, string>();
    const reply = await sendSlowly(
      `${world.api.baseUrl}${pathOf(route, request)}`,
      route.method,
      { headers: { ...headers, ...special }, body: request.body, raw: request.raw },
      async () => {
        await untilSeen();
        await revoke();
        before = await contentsOf(world);
      },
    );
    const findings = expectError('a credential that was revoked meanwhile', reply, 401, 'AUTHENTICATION_ERROR');
    for (const [table, is] of await contentsOf(world)) {
      if (before.get(table) !== is) findings.push(`it wrote ${table} for a credential that was revoked`);
    }
    const written = await world.api.database.asOwner<{ name: string }>(OF_A_CREDENTIAL, [id]);
    findings.push(...written.map(({ name }) => `it wrote ${name} for a credential that was revoked`));
    return findings;
  },
};

export const CHANGE_SUITES: readonly Suite[] = [auditedSuite, heldCredentialSuite];
