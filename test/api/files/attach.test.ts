import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { StoredFile } from '../../../domain/files/file-store.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { invocationWorkflowId } from '../../../temporal/invocations/invoke-action.ts';
import { startFakeResend } from '../../harness/providers/fake-resend.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { startTarget, type Target } from '../../harness/target.ts';
import { approve, deny, keyClient, readApproval, untilStatus } from '../approvals/support.ts';
import { createAction, effectAtRest, effectOf, errorOf, invoke } from '../invocations/support.ts';
import { preview, tamper } from '../previews/support.ts';
import { invoice, presign, presignedIn, sha256Of, type TestFile, upload } from './support.ts';

const resend = await startFakeResend();
const [service, target] = await Promise.all([
  startTestService({ providers: { resendBaseUrl: resend.baseUrl } }),
  startTarget(),
]);
const { key } = service;
const approver = await keyClient(service, service.database.tenant, { name: 'approver', preset: 'full_access' });
afterAll(async () => {
  await resend.close();
});

const CONTENT = 'an invoice, word for word';
const remove = (id: string): ReturnType<TestService['call']> => service.call('DELETE', `/api/v2/files/${id}`, { key });

/** An action that sends `input.invoice` as a part of a form to a path of its own. */
function sendsForm(path: string, overrides: JsonObject = {}): Promise<string> {
  return createAction(
    service,
    {
      url: `${target.baseUrl}/ok?${path}`,
      headers: { 'content-type': 'multipart/form-data' },
      body: { note: '{{input.note}}', document: '{{file:input.invoice}}' },
    },
    overrides,
  );
}

const seenBy = async (path: string): Promise<Awaited<ReturnType<Target['requests']>>> =>
  (await target.requests('/ok')).filter(({ url }) => url === `/ok?${path}`);

describe('a file of an input', () => {
  test('arrives as a part of a form, under the digest that preview and receipt are bound to', async () => {
    const file = await upload(service, key, [invoice(CONTENT)]);
    const action = await sendsForm('form');
    const input = { note: 'two "quotes"', invoice: file.id };
    const shown = await preview(service, action, { input });
    const attached = { id: file.id, filename: 'invoice.pdf', contentType: 'application/pdf' };
    const facts = { ...attached, size: CONTENT.length, sha256: sha256Of(CONTENT) };
    expect(shown.request.body).toBeNull();
    expect(shown.request.bodyParts).toContainEqual({ file: facts, encoding: 'raw' });
    expect(JSON.stringify(shown.blocks)).toContain(facts.sha256);

    const { status, invocation } = await invoke(service, action, { input, previewId: shown.id });
    expect([status, invocation.status]).toEqual([200, 'succeeded']);
    const [sent, ...others] = await seenBy('form');
    expect(others).toEqual([]);
    const form = await new Response(sent?.body, {
      headers: { 'content-type': sent?.headers['content-type'] ?? '' },
    }).formData();
    expect([...form.keys()]).toEqual(['note', 'document']);
    expect(form.get('note')).toBe('two "quotes"');
    const part = form.get('document') as File;
    expect([part.name, part.type, await part.text()]).toEqual(['invoice.pdf', 'application/pdf', CONTENT]);
    expect(await effectOf(service, invocation)).toMatchObject({ bindingDigest: shown.bindingDigest });

    const history = await service.client.workflow.getHandle(invocationWorkflowId(invocation.id)).fetchHistory();
    const recorded = JSON.stringify(history);
    for (const kept of [CONTENT, facts.sha256, file.id]) {
      expect(recorded).not.toContain(Buffer.from(kept).toString('base64').slice(0, 16));
      expect(recorded).not.toContain(kept);
    }
    expect((await remove(file.id)).status).toBe(200); // it is held no more
  });

  test('is sent by an activity of its own, because its bytes are checked first', async () => {
    const file = await upload(service, key, [invoice(CONTENT)]);
    const input = { note: 'checked', invoice: file.id };
    const { invocation } = await invoke(service, await sendsForm('checked'), { input });
    expect(invocation.status).toBe('succeeded');
    const history = await service.client.workflow.getHandle(`invocation/${invocation.id}`).fetchHistory();
    const activities = history.events?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
    expect(activities?.filter((name) => name !== undefined)).toEqual(['dispatchEffect']);
  });

  test('is streamed whole as a raw body and as Base64 in JSON, however the store splits it into chunks', async () => {
    const content = randomBytes(200_001);
    const file = await upload(service, key, [invoice(content)]);
    const raw = await createAction(service, { url: `${target.baseUrl}/ok?raw`, body: '{{file:input.doc}}' });
    const json = await createAction(service, {
      url: `${target.baseUrl}/ok?json`,
      body: { name: '{{input.doc.filename}}', content: '{{file:input.doc}}' },
    });
    for (const action of [raw, json]) await invoke(service, action, { input: { doc: file.id } });
    const [sentRaw] = await seenBy('raw');
    expect(sentRaw).toMatchObject({ bodySha256: sha256Of(content), headers: { 'content-type': 'application/pdf' } });
    const [sentJson] = await seenBy('json');
    expect(JSON.parse(sentJson?.body ?? '')).toEqual({ name: 'invoice.pdf', content: content.toString('base64') });
  });

  test('is an attachment of an email', async () => {
    await service.call('PUT', '/api/v2/secrets/RESEND_API_KEY', { key, body: { value: resend.fullKey } });
    const file = await upload(service, key, [invoice(CONTENT)]);
    const action = await createAction(
      service,
      {},
      { adapter: { type: 'resend.email', config: { domain: 'example.com' } } },
    );
    const email = { from: 'a@example.com', to: 'b@example.com', subject: 'Invoice', text: 'See the attachment.' };
    const { invocation } = await invoke(service, action, {
      input: { ...email, attachments: [{ file: file.id, filename: 'may.pdf' }] },
    });
    await effectAtRest(service, invocation.id);
    expect(resend.emails.map(({ email }) => email)).toEqual([
      {
        ...email,
        attachments: [
          { content: Buffer.from(CONTENT).toString('base64'), filename: 'may.pdf', content_type: 'application/pdf' },
        ],
      },
    ]);
  });

  test.each<[string, () => Promise<unknown>, string, RegExp]>([
    ['of a neighbour', () => neighbours(), 'VALIDATION_ERROR', /names no file of this environment/],
    ['that was deleted', () => deleted(), 'VALIDATION_ERROR', /names no file of this environment/],
    ['that was not confirmed', () => pending(), 'VALIDATION_ERROR', /names no file of this environment/],
    ['that is no id', () => Promise.resolve('invoice.pdf'), 'VALIDATION_ERROR', /must be the id of a file/],
    ['of another digest', () => otherDigest(), 'VALIDATION_ERROR', /has the sha256/],
    // Counted before anything is made of each: a copy of such a list for each of its items would take hours.
    ['with 89,999 others', () => Promise.resolve(Array(90_000).fill(0)), 'VALIDATION_ERROR', /names 90000 files/],
  ])('%s is refused, and nothing is admitted', async (_which, made, code, message) => {
    const action = await sendsForm('refused');
    const reply = await service.post(`/api/v2/actions/${action}/invoke`, {
      input: { note: '', invoice: await made() },
    });
    expect([reply.status, errorOf(reply).code]).toEqual([400, code]);
    expect(JSON.stringify(errorOf(reply))).toMatch(message);
    expect(await seenBy('refused')).toEqual([]);
    expect(
      await service.database.asOwner(
        'SELECT FROM invocations i JOIN actions a ON a.id = i.action_id WHERE a.name = $1',
        [action],
      ),
    ).toEqual([]);
  });

  const fileOf = async (): Promise<TestFile> => upload(service, key, [invoice(CONTENT)]);
  async function neighbours(): Promise<string> {
    const other = await service.createKey(service.database.tenants.production);
    return (await upload(service, other.key)).id;
  }
  async function deleted(): Promise<string> {
    const { id } = await fileOf();
    await remove(id);
    return id;
  }
  async function pending(): Promise<string> {
    return presignedIn(await presign(service, key, { filename: 'a.txt', size: 3 })).fileId;
  }
  const otherDigest = async (): Promise<unknown> => ({ id: (await fileOf()).id, sha256: 'a'.repeat(64) });

  test('needs a key that may read files', async () => {
    const { id } = await fileOf();
    const action = await sendsForm('unscoped');
    const invoker = await keyClient(service, service.database.tenant, { name: 'invoker', scopes: ['actions:invoke'] });
    const reply = await invoker.post(`/api/v2/actions/${action}/invoke`, { input: { note: '', invoice: id } });
    expect([reply.status, errorOf(reply).code]).toEqual([403, 'AUTHORIZATION_ERROR']);
  });

  test('is part of what an operation key stands for, also once it is deleted', async () => {
    const [first, second] = [await fileOf(), await fileOf()];
    const action = await sendsForm('repeated');
    const asked = (id: string): JsonObject => ({
      input: { note: '', invoice: id },
      operationKey: `repeat ${first.id}`,
    });
    const { invocation } = await invoke(service, action, asked(first.id));
    expect((await remove(first.id)).status).toBe(200);
    expect((await invoke(service, action, asked(first.id))).invocation.id).toBe(invocation.id);
    const other = await service.post(`/api/v2/actions/${action}/invoke`, asked(second.id));
    expect([other.status, errorOf(other).code]).toEqual([409, 'OPERATION_KEY_REUSE']);
    const many = await service.post(`/api/v2/actions/${action}/invoke`, {
      ...asked(first.id),
      input: { note: '', invoice: Array(100_000).fill(0) },
    });
    expect([many.status, errorOf(many).code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(await seenBy('repeated')).toHaveLength(1);
  });

  test('cannot imitate the place of another one', async () => {
    const { id } = await fileOf();
    const action = await sendsForm('imitated');
    const note = '\uE000file:0\uE000';
    const reply = await service.post(`/api/v2/actions/${action}/invoke`, { input: { note, invoice: id } });
    expect([reply.status, errorOf(reply).code]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('while an approval is waited for', () => {
  interface Parked {
    file: TestFile;
    path: string;
    invocation: { id: string; approvalId: string | null };
  }

  async function park(path: string): Promise<Parked> {
    const file = await upload(service, key, [invoice(CONTENT)]);
    const action = await sendsForm(path, { approval: { required: true } });
    const { status, invocation } = await invoke(service, action, { input: { note: '', invoice: file.id } });
    expect([status, invocation.status]).toEqual([202, 'pending_approval']);
    return { file, path, invocation };
  }

  const placeOf = (file: TestFile): StoredFile => ({
    environmentId: service.database.tenant.environmentId,
    fileId: file.id,
  });

  test('its file cannot be deleted, and can be once it has ended', async () => {
    const { file, invocation } = await park('held');
    const refused = await remove(file.id);
    expect([refused.status, errorOf(refused)]).toMatchObject([
      409,
      { code: 'CONFLICT', details: { invocationId: invocation.id } },
    ]);
    await deny(approver, await readApproval(approver, invocation.approvalId));
    await untilStatus(service, invocation.id, ['denied']);
    expect((await remove(file.id)).status).toBe(200);
  });

  test('a file that is held is not deleted by any statement of the service', async () => {
    const { file } = await park('guarded');
    const deleting = service.deps.db.withEnvironment(service.database.tenant, (tx) =>
      tx.raw(null, `UPDATE files SET status = 'deleted', due_at = now() WHERE id = ?`, [file.id]),
    );
    await expect(deleting).rejects.toThrow(/is attached to an invocation/);
  });

  test.each<[string, (file: TestFile) => Promise<void>]>([
    [
      'bytes were exchanged',
      async (file) => service.deps.files.put(placeOf(file), 'content', once(CONTENT.toUpperCase())),
    ],
    ['bytes are gone', (file) => service.deps.files.remove(placeOf(file))],
    ['row is gone', (file) => tamper(service, `UPDATE files SET status = 'deleted' WHERE id = '${file.id}'`)],
    [
      'row has another digest',
      (file) => tamper(service, `UPDATE files SET sha256 = repeat('a', 64) WHERE id = '${file.id}'`),
    ],
  ])('its file whose %s is not sent', async (which, change) => {
    const { file, path, invocation } = await park(`changed-${which.replaceAll(' ', '-')}`);
    await change(file);
    await approve(approver, await readApproval(approver, invocation.approvalId));
    const ended = await untilStatus(service, invocation.id, ['refused']);
    expect(ended.refusal).toMatchObject({ code: 'attachment_changed', details: { fileId: file.id } });
    expect(await seenBy(path)).toEqual([]);
  });
});

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
