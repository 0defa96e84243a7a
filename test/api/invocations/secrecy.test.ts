import { expect, test } from 'vitest';
import { everyRow } from '../../harness/every-row.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createAction, effectOf, invoke } from './support.ts';

/** Long and odd enough that neither it nor an encoding of it occurs anywhere by chance. */
const VALUE = 'sk_live_9f"x/Q+z&é~7Kp2!secret-value';

const [service, target] = await Promise.all([startTestService(), startTarget()]);

function encodings(value: string): string[] {
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    Buffer.from(value).toString('base64'),
    Buffer.from(value).toString('hex'),
  ];
}

test('a credential is nowhere but in the vault and at the destination, even where the destination echoes it', async () => {
  const replies: string[] = [];
  const put = await service.call('PUT', '/api/v2/secrets/API_TOKEN', {
    key: service.key,
    body: { value: encodeURIComponent(VALUE) },
  });
  const secret = encodeURIComponent(VALUE); // a header cannot contain every character, so the encoded form is the credential here
  replies.push(put.text);
  const headers = { authorization: 'Bearer {{secret:API_TOKEN}}' };
  const invocationIds: string[] = [];
  for (const as of [
    'text',
    'json',
    'unicode',
    'percent',
    'form',
    'hex',
    'base64',
    'base64-1',
    'base64-2',
    'base64-user',
    'utf16',
  ]) {
    const action = await createAction(service, { url: `${target.baseUrl}/echo-secret?as=${as}`, headers });
    const reply = await invoke(service, action);
    expect(reply.invocation.status).toBe('succeeded');
    invocationIds.push(reply.invocation.id);
    replies.push(reply.text, JSON.stringify(await effectOf(service, reply.invocation)));
  }
  const body = { token: '{{secret:API_TOKEN}}' };
  const verify = {
    request: { method: 'GET', url: `${target.baseUrl}/echo`, headers },
    expect: [{ path: 'body.headers.authorization', op: 'exists' }],
  };
  const inBody = await createAction(service, { url: `${target.baseUrl}/echo`, body, headers }, { verify });
  const confirmed = await invoke(service, inBody);
  expect(confirmed.invocation.grade).toBe('confirmed');
  invocationIds.push(confirmed.invocation.id);
  replies.push(confirmed.text, JSON.stringify(await effectOf(service, confirmed.invocation)));
  const failing = await createAction(service, { url: `${target.baseUrl}/reset`, headers });
  const unknown = await invoke(service, failing);
  expect(unknown.invocation.grade).toBe('unknown');
  invocationIds.push(unknown.invocation.id);
  // Both are refused or fail while the credential is at hand. They may show its name, and no more.
  const blocked = await createAction(service, { url: 'http://169.254.169.254/latest', headers });
  const rejected = await createAction(service, { url: `${target.baseUrl}/status?status=422`, headers });
  for (const [action, code] of [
    [blocked, 'destination_blocked'],
    [rejected, 'provider_rejected'],
  ] as const) {
    const reply = await invoke(service, action);
    expect(reply.invocation.refusal?.code).toBe(code);
    invocationIds.push(reply.invocation.id);
    replies.push(reply.text, JSON.stringify(await effectOf(service, reply.invocation)));
  }
  for (const path of ['secrets', 'secrets/API_TOKEN', 'actions', 'actions/invocations', 'actions/effects']) {
    replies.push((await service.get(`/api/v2/${path}`)).text);
  }
  const histories = await Promise.all(
    invocationIds.map(async (id) =>
      JSON.stringify(await service.client.workflow.getHandle(`invocation/${id}`).fetchHistory()),
    ),
  );

  // It did arrive, so the search below would find it.
  expect((await target.requests('/echo-secret'))[0]?.headers['authorization']).toBe(`Bearer ${secret}`);
  expect((await target.requests('/echo'))[0]?.body).toContain(secret);
  const rows = await everyRow(service.database);
  expect(rows.length).toBeGreaterThan(50);
  expect(service.logLines.length).toBeGreaterThan(20);
  const places = { rows, histories, replies, apiLog: service.logLines, workerLog: service.workerLogLines };
  for (const [place, texts] of Object.entries(places)) {
    for (const needle of [...encodings(secret), ...encodings(VALUE)]) {
      expect(texts.filter((text) => text.includes(needle)).length, `${place} hold the secret`).toBe(0);
    }
  }
});

test('the text of a secret reference in an input is text and resolves to nothing', async () => {
  await service.call('PUT', '/api/v2/secrets/OTHER', { key: service.key, body: { value: 'must-not-be-sent' } });
  const config = {
    url: `${target.baseUrl}/orders`,
    headers: { 'x-note': '{{input.note}}' },
    body: { note: '{{input.note}}' },
  };
  const action = await createAction(service, config);
  await invoke(service, action, { input: { note: '{{secret:OTHER}}' } });
  const [seen] = await target.requests('/orders');
  expect(seen?.headers['x-note']).toBe('{{secret:OTHER}}');
  expect(JSON.parse(seen?.body ?? '')).toEqual({ note: '{{secret:OTHER}}' });
});
