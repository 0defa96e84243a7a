import { describe, expect, it } from 'vitest';
import { createPerson } from '../harness/people.ts';
import { checkEachReply } from '../harness/reply-schemas.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';

/** An admin governs by session: their role stands for `actions:govern` and `secrets:read`, also where the environment is protected. */

const api = await startTestApi();
checkEachReply(api);
const { environmentId } = api.database.tenants.production;
const admin = await createPerson(api, 'admin');
const call = (method: string, path: string, body?: unknown): Promise<CallResult> =>
  admin.call(method, `/api/v2/actions${path}`, {
    headers: { 'X-Environment-Id': environmentId },
    ...(body === undefined ? {} : { body }),
  });
const adapter = {
  type: 'http.request',
  config: {
    method: 'POST',
    url: 'https://api.example.com/refunds',
    headers: { 'X-Key': '{{secret:pay}}' },
    secrets: ['pay'],
  },
};

describe("an admin's session in a protected environment", () => {
  it('creates an ungoverned action that writes and refers to a secret, and the records name the person', async () => {
    const made = await call('POST', '', { name: 'by-session.plain', adapter });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    const { id } = (made.json as { data: { id: string } }).data;
    const versions = await call('GET', `/${id}/versions`);
    const person = { type: 'user', id: admin.userId };
    expect(versions.json).toMatchObject({ data: [{ number: 1, createdBy: person }] });
    const entries = await api.database.asOwner(
      `SELECT action, actor_type, actor_id, environment_id FROM audit_log WHERE target_id = $1`,
      [id],
    );
    expect(entries).toEqual([
      { action: 'action.created', actor_type: 'user', actor_id: admin.userId, environment_id: environmentId },
    ]);
  });

  it('changes what a governed action declares, takes its name again, and ungoverns an operation of an import', async () => {
    const name = 'by-session.refund';
    const governed = { name, adapter, governed: true, approval: { required: true } };
    expect((await call('POST', '', governed)).status).toBe(201);
    const loosened = await call('PATCH', `/${name}`, { approval: { required: false }, governed: false });
    expect(loosened.json).toMatchObject({ data: { governed: false, approval: { required: false } } });
    expect((await call('DELETE', `/${name}`)).status).toBe(200);
    expect((await call('POST', '', { name, adapter })).status).toBe(201);
    const document = {
      openapi: '3.1.0',
      info: { title: 'Refunds', version: '1' },
      servers: [{ url: 'https://api.example.com' }],
      paths: {
        '/refunds': { post: { operationId: 'by-session.imported', responses: { 200: { description: 'ok' } } } },
      },
    };
    const imported = await call('POST', '/import', { document, ungoverned: ['by-session.imported'] });
    expect(imported.json).toMatchObject({
      data: [{ name: 'by-session.imported', status: 'created', governed: false }],
    });
  });
});
