import { expect, it } from 'vitest';
import { encodeUuid } from '../../../domain/ids.ts';
import { newIntegrationId } from '../../../domain/integrations/integrations.ts';
import { isUuid } from '../../../domain/uuid.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';

/** An integration is named by a UUID; paths take the earlier form `int_…` of the same id too. */

const api = await startTestApi();
const { key } = await api.createKey(api.database.tenants.development);
const body = { webhookUrl: `https://discord.com/api/webhooks/1234/${'t'.repeat(30)}` };
const reply = await api.call('POST', '/api/v2/integrations/discord', { key, body });
if (reply.status !== 201) throw new Error(reply.text);
const { id } = (reply.json as { data: { id: string } }).data;

const toggle = (named: string): Promise<CallResult> =>
  api.call('PATCH', `/api/v2/integrations/${named}/toggle`, { key, body: { isActive: true } });

it('is answered and listed as a UUID', async () => {
  expect(isUuid(id)).toBe(true);
  const listed = await api.call('GET', '/api/v2/integrations', { key });
  expect(listed.json).toMatchObject({ data: [{ id }] });
});

it('is found in either form and in either case', async () => {
  for (const named of [id, id.toUpperCase(), `int_${encodeUuid(id)}`]) {
    expect((await toggle(named)).status, named).toBe(200);
  }
});

it('is not found under another id, and a text of another form is a 400', async () => {
  const other = newIntegrationId();
  for (const named of [other, `int_${encodeUuid(other)}`]) expect((await toggle(named)).status, named).toBe(404);
  for (const named of ['int_1', `int_${'z'.repeat(22)}`, 'ops', 'x'.repeat(200)]) {
    expect((await toggle(named)).status, named).toBe(400);
  }
});

it('takes clicks at the URL of either form', async () => {
  const click = (named: string): Promise<CallResult> =>
    api.call('POST', `/api/v2/integrations/discord/${named}/interactions`, { body: {} });
  for (const named of [id, `int_${encodeUuid(id)}`]) {
    const reply = await click(named);
    expect([reply.status, reply.text], named).toEqual([401, expect.stringContaining('signature')]);
  }
  expect((await click('ops')).status).toBe(404);
});
