import { describe, expect, test } from 'vitest';
import type { Role } from '../../../domain/roles.ts';
import { SCOPES } from '../../../domain/scopes.ts';
import { createPerson, type TestPerson } from '../harness/people.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { errorOf } from '../invocations/support.ts';
import { raise } from './support.ts';

/** The table of the specification: role × scope × route, every cell asked. */
type NotificationScope = 'notifications:read' | 'notifications:write' | 'notifications:manage';
interface Row {
  method: string;
  path: string;
  scope: NotificationScope;
  role: Role;
  needsUser?: true;
  body?: unknown;
}

const ROOT = '/api/v2/notifications';
const ROWS: readonly Row[] = [
  { method: 'GET', path: '', scope: 'notifications:read', role: 'member' },
  { method: 'GET', path: '/unread-count', scope: 'notifications:read', role: 'member' },
  { method: 'GET', path: '/preferences', scope: 'notifications:read', role: 'member' },
  { method: 'GET', path: '/preferences/me', scope: 'notifications:read', role: 'member', needsUser: true },
  {
    method: 'PATCH',
    path: '/preferences/me',
    scope: 'notifications:write',
    role: 'member',
    needsUser: true,
    body: { mutedTypes: [] },
  },
  { method: 'PATCH', path: '/{id}/read', scope: 'notifications:write', role: 'member' },
  { method: 'PATCH', path: '/read-all', scope: 'notifications:write', role: 'member' },
  { method: 'DELETE', path: '/{id}', scope: 'notifications:write', role: 'member' },
  {
    method: 'PATCH',
    path: '/preferences',
    scope: 'notifications:manage',
    role: 'admin',
    body: { alertWebhookUrl: 'https://alerts.example/hook' },
  },
  { method: 'POST', path: '/preferences/test-webhook', scope: 'notifications:manage', role: 'admin' },
];
const ROLES: readonly Role[] = ['member', 'admin', 'owner'];
const ALL: readonly NotificationScope[] = ['notifications:read', 'notifications:write', 'notifications:manage'];

const keys = new Map<NotificationScope, { only: string; without: string }>();
const api = await startTestApi();
const [member, admin, owner] = await Promise.all(ROLES.map((role) => createPerson(api, role)));
if (member === undefined || admin === undefined || owner === undefined) throw new Error('there are three roles');
const people: Record<Role, TestPerson> = { member, admin, owner };
for (const scope of ALL) {
  const only = await api.createKey(api.database.tenant, { scopes: [scope] });
  const without = await api.createKey(api.database.tenant, { scopes: SCOPES.filter((each) => each !== scope) });
  keys.set(scope, { only: only.key, without: without.key });
}
const [tenant] = [api.database.tenant];
await api.database.asOwner('INSERT INTO notification_settings (workspace_id, alert_webhook_url) VALUES ($1, $2)', [
  tenant.workspaceId,
  'https://alerts.example/hook',
]);

async function pathOf({ path }: Row): Promise<string> {
  return `${ROOT}${path.replace('{id}', (await raise(api)) ?? '')}`;
}

/** `done`, or the status, the code and the message of a refusal. */
function outcomeOf(reply: CallResult): string {
  if (reply.status < 300) return 'done';
  const { code, message } = errorOf(reply);
  return `${reply.status} ${code}: ${message}`;
}

describe.each(ROWS)('$method $path', (row) => {
  const { method, scope, role, needsUser, body } = row;
  const options = body === undefined ? {} : { body };

  test.each(ROLES)(`a session with the role %s`, async (has) => {
    const headers = { 'X-Environment-Id': api.database.tenant.environmentId };
    const reply = await people[has].call(method, await pathOf(row), { ...options, headers });
    const may = ROLES.indexOf(has) >= ROLES.indexOf(role);
    expect(outcomeOf(reply)).toMatch(may ? /^done$/ : new RegExp(`^403 .*role ${role}`));
  });

  test('an API key with the scope alone, and one with every other scope', async () => {
    const { only = '', without = '' } = keys.get(scope) ?? {};
    const allowed = await api.call(method, await pathOf(row), { ...options, key: only });
    expect(outcomeOf(allowed)).toMatch(needsUser === true ? /^403 USER_IDENTITY_REQUIRED/ : /^done$/);
    const refused = await api.call(method, await pathOf(row), { ...options, key: without });
    expect([refused.status, errorOf(refused).code]).toEqual([403, 'AUTHORIZATION_ERROR']);
    expect(errorOf(refused).message).toContain(scope);
  });
});
