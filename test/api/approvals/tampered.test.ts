import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../harness/service.ts';
import { startTarget, type Target } from '../../harness/target.ts';
import { effectOf, type Effect, invoke } from '../invocations/support.ts';
import { tamper } from '../previews/support.ts';
import { decideSilently, keyClient, type KeyClient, readApproval, untilStatus, untilWatched } from './support.ts';

/**
 * Each approved field is changed after the approval and before the dispatch: through the API where that is
 * allowed, and as the database's owner with every trigger off where it is not. The workflow is not notified of the approval, as when
 * the deciding process dies, so that nothing continues until the change is made. Then the test wakes it as the sweep does.
 */
let service: TestService;
let target: Target;
let agent: KeyClient;
let decider: KeyClient;
beforeAll(async () => {
  [service, target] = await Promise.all([startTestService(), startTarget()]);
  const { production } = service.database.tenants;
  [agent, decider] = await Promise.all([keyClient(service, production), keyClient(service, production)]);
});

interface Agreed {
  action: string;
  secret: string;
  invocationId: string;
  effectId: string;
  previewId: string;
  approvalId: string;
}

/** Parked and approved, but its workflow was not notified. */
async function agreedTo(): Promise<Agreed> {
  const unique = randomUUID().slice(0, 8);
  const [action, secret] = [`refund.${unique}`, `key_${unique}`];
  await agent.call('PUT', `/api/v2/secrets/${secret}`, { value: `pk_${unique}` });
  const made = await agent.post('/api/v2/actions', {
    name: action,
    adapter: {
      type: 'http.request',
      config: {
        method: 'POST',
        url: `${target.baseUrl}/ok?of={{input.payment}}`,
        headers: { authorization: `Bearer {{secret:${secret}}}`, 'x-mode': 'careful' },
        body: { payment: '{{input.payment}}', amount: '{{input.amount}}' },
      },
    },
    impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }],
  });
  expect(made.status).toBe(201);
  const { invocation, status } = await invoke(agent, action, { input: { payment: 'pay_1', amount: 60_000 } });
  expect(status).toBe(202);
  const approval = await readApproval(agent, invocation.approvalId);
  await untilWatched(service, approval.id);
  await decideSilently(service, decider, approval);
  const [effectId, previewId] = [invocation.effectId ?? '', approval.previewId ?? ''];
  return { action, secret, invocationId: invocation.id, effectId, previewId, approvalId: approval.id };
}

/** The sweep's call: the workflow reads the row and continues. */
function goOn({ approvalId, invocationId }: Agreed): Promise<void> {
  const ref = { approvalId, invocationId, ...service.database.tenants.production };
  return service.starters.wakeApproval(ref);
}

async function outcome(agreed: Agreed): Promise<Effect> {
  await goOn(agreed);
  const ended = await untilStatus(agent, agreed.invocationId, ['refused', 'succeeded', 'failed', 'unknown']);
  return effectOf(agent, ended);
}

test('unchanged, it is sent', async () => {
  const agreed = await agreedTo();
  expect(await target.requests()).toEqual([]);
  expect(await outcome(agreed)).toMatchObject({ stage: 'settled', grade: 'acknowledged' });
  expect(await target.requests()).toHaveLength(1);
  await target.reset();
});

const inVersion = (path: string, value: unknown) => (agreed: Agreed) =>
  tamper(
    service,
    `UPDATE action_versions v SET definition = jsonb_set(definition, '${path}', '${JSON.stringify(value)}')
     FROM invocations i WHERE i.version_id = v.id AND i.id = '${agreed.invocationId}'`,
  );
const inPreview = (change: string) => (agreed: Agreed) =>
  tamper(service, `UPDATE previews SET ${change} WHERE id = '${agreed.previewId}'`);
const inEffect = (change: string) => (agreed: Agreed) =>
  tamper(service, `UPDATE effects SET ${change} WHERE id = '${agreed.effectId}'`);
const inApproval = (change: string) => (agreed: Agreed) =>
  tamper(service, `UPDATE approvals SET ${change} WHERE id = '${agreed.approvalId}'`);
const inInvocation = (change: string) => (agreed: Agreed) =>
  tamper(service, `UPDATE invocations SET ${change} WHERE id = '${agreed.invocationId}'`);
const OTHER_DIGEST = `sha256:${'f'.repeat(64)}`;
const OTHER_IMPACT = `'[{"dimension":"money","currency":"usd","amount":1,"bound":"exact"}]'`;

const CHANGES: readonly [string, string, (agreed: Agreed) => Promise<unknown>][] = [
  ['the method of the action', 'digest_mismatch', inVersion('{adapter,config,method}', 'PUT')],
  ['the method of the preview', 'digest_mismatch', inPreview(`request = jsonb_set(request, '{method}', '"PUT"')`)],
  ['the method of the effect', 'digest_mismatch', inEffect(`request = jsonb_set(request, '{method}', '"PUT"')`)],
  ['the URL of the action', 'digest_mismatch', inVersion('{adapter,config,url}', 'http://127.0.0.1:9/other')],
  [
    'the URL of the preview',
    'digest_mismatch',
    inPreview(`request = jsonb_set(request, '{url}', '"http://127.0.0.1:9/"')`),
  ],
  ['the URL, by the input', 'digest_mismatch', inInvocation(`input = jsonb_set(input, '{payment}', '"pay_2"')`)],
  ['the target', 'digest_mismatch', inPreview(`target = target || '{"host":"elsewhere"}'`)],
  ['a header of the action', 'digest_mismatch', inVersion('{adapter,config,headers,x-mode}', 'careless')],
  [
    'a header of the preview',
    'digest_mismatch',
    inPreview(`request = jsonb_set(request, '{headers,x-mode}', '"careless"')`),
  ],
  ['a leaf of the body', 'digest_mismatch', inVersion('{adapter,config,body,payment}', 'pay_2')],
  ['the body of the preview', 'digest_mismatch', inPreview(`request = jsonb_set(request, '{body}', '"{}"')`)],
  ['the amount, by the input', 'digest_mismatch', inInvocation(`input = jsonb_set(input, '{amount}', '60001')`)],
  ['the impact of the action', 'digest_mismatch', inVersion('{impact,0,bound}', 'upper_bound')],
  ['the impact of the preview', 'digest_mismatch', inPreview(`impact = ${OTHER_IMPACT}`)],
  ['the impact of the effect', 'digest_mismatch', inEffect(`impact = ${OTHER_IMPACT}`)],
  ['the expiry', 'digest_mismatch', inPreview(`expires_at = expires_at + interval '1 hour'`)],
  ['the digest of the preview', 'digest_mismatch', inPreview(`binding_digest = '${OTHER_DIGEST}'`)],
  ['the digest of the effect', 'digest_mismatch', inEffect(`binding_digest = '${OTHER_DIGEST}'`)],
  ['the digest of the approval', 'digest_mismatch', inApproval(`binding_digest = '${OTHER_DIGEST}'`)],
  [
    'a secret, replaced',
    'precondition_changed',
    (agreed) => agent.call('PUT', `/api/v2/secrets/${agreed.secret}`, { value: 'another' }),
  ],
  [
    'a secret, deleted',
    'precondition_changed',
    (agreed) => tamper(service, `UPDATE secrets SET deleted_at = now() WHERE name = '${agreed.secret}'`),
  ],
  [
    'the version of the action',
    'action_version_changed',
    (agreed) => agent.call('PATCH', `/api/v2/actions/${agreed.action}`, { timeoutMs: 12_345 }),
  ],
  ['the action, archived', 'action_disabled', (agreed) => agent.call('DELETE', `/api/v2/actions/${agreed.action}`)],
];

test.each(CHANGES)(
  '%s changed after the approval: refused (%s), and the target saw nothing',
  async (_, code, change) => {
    const agreed = await agreedTo();
    await change(agreed);
    const effect = await outcome(agreed);
    expect([effect.stage, effect.grade, effect.rejectionReason]).toEqual(['rejected', 'refused', code]);
    expect(effect.evidence.at(-1)).toMatchObject({
      source: 'system',
      impliedOutcome: 'not_dispatched',
      summary: expect.stringContaining(`dispatch refused (${code})`),
      details: { approvalId: agreed.approvalId, approvers: [{ id: decider.keyId }], refusal: code },
    });
    expect(await target.requests()).toEqual([]);
    expect((await readApproval(agent, agreed.approvalId)).status).toBe('invalidated');
  },
);
