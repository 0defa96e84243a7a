import type { ApprovalRecord } from '../../../db/approvals/records.ts';
import type { OutcomeAfter } from '../../../db/approvals/queries.ts';
import type { Allowance } from '../../../db/impact-limits/allowances.ts';
import type { PreviewRecord } from '../../../db/previews/records.ts';
import type { ActionDefinition } from '../../../domain/actions.ts';
import type { PreparedRequest } from '../../../domain/adapters/adapter-descriptor.ts';
import { httpRequestDescriptor } from '../../../domain/adapters/http-request.ts';
import { githubIssueCommentDescriptor } from '../../../domain/adapters/github-issue-comment.ts';
import { resendEmailDescriptor } from '../../../domain/adapters/resend-email.ts';
import { stripeRefundDescriptor } from '../../../domain/adapters/stripe-refund.ts';
import type { PreviewBlock } from '../../../domain/adapters/preview-block.ts';
import { previewBlocks } from '../../../domain/previews/preview-blocks.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { approvalContent, type ApprovalView } from '../../../api/pages/approval-content.ts';
import { isOpen } from '../../../api/pages/approval-outcome.ts';
import { decisionForm } from '../../../api/pages/approval.ts';
import { documentOf } from '../../../api/html/layout.ts';
import { markup } from '../../../api/html/markup.ts';

/** Approvals as their page shows them, made without a stack: each kind of request, each end, and contents that mean harm. */

export const NOW = new Date('2026-11-27T10:00:00Z');
const ENVIRONMENT_ID = '0195fd3c-3c1a-7b1e-8a57-2c6d1c3f8a10';
const DIGEST = `sha256:${'5a'.repeat(32)}`;

const DESCRIPTORS = {
  'http.request': httpRequestDescriptor,
  'stripe.refund': stripeRefundDescriptor,
  'resend.email': resendEmailDescriptor,
  'github.issue_comment': githubIssueCommentDescriptor,
};

export interface Sample {
  adapter?: keyof typeof DESCRIPTORS;
  actionName?: string;
  config?: JsonObject;
  input?: JsonObject;
  impact?: PreviewRecord['impact'];
  request?: Partial<PreparedRequest>;
  /** What the adapter read at the provider. */
  read?: PreviewBlock[];
  allowances?: Allowance[];
  approval?: Partial<ApprovalRecord>;
  names?: Partial<ApprovalView['names']>;
  environment?: Partial<ApprovalView['environment']>;
  outcome?: Partial<OutcomeAfter>;
  lately?: Partial<NonNullable<ApprovalView['lately']>>;
}

/** The page as somebody who may decide gets it. */
export function pageOf(sample: Sample): string {
  const view = viewOf(sample);
  const refusals = { approve: null, deny: null };
  const form = isOpen(view) && decisionForm({ shown: view.shown, refusals }, { csrfToken: 'token' }, '');
  return documentOf({
    title: view.shown.approval.title,
    viewer: { email: 'ada@example.com', csrfToken: 'token' },
    content: approvalContent(view, markup`${form}`),
    width: 'wide',
  });
}

export function viewOf(sample: Sample): ApprovalView {
  const { approval: changed = {} } = sample;
  const isFree = changed.kind === 'free_standing';
  const preview = isFree ? null : previewOf(sample);
  const approval = { ...approvalOf(preview), ...changed };
  return {
    shown: { approval, preview, allowances: isFree ? [] : (sample.allowances ?? [limitOf({})]) },
    environment: { id: ENVIRONMENT_ID, name: 'Production', kind: 'production', ...sample.environment },
    names: {
      users: {
        usr_grace: { name: 'Grace Hopper', email: 'grace@example.com' },
        usr_ada: { name: 'Ada Lovelace', email: 'ada@example.com' },
      },
      keys: { key_agent: 'support agent' },
      apps: {},
      policy: 'large payments back',
      actionDescription: null,
      ...sample.names,
    },
    lately: isFree ? null : { asked: 42, approved: 38, denied: 2, ...sample.lately },
    outcome: sample.outcome === undefined ? null : { ...OUTCOME, ...sample.outcome },
    now: NOW,
  };
}

const OUTCOME: OutcomeAfter = {
  status: 'succeeded',
  grade: 'confirmed',
  error: null,
  refusalCode: null,
  answered: 201,
  providerReference: 're_1PqX9ZLkdIwHu7ix',
  settledAt: new Date('2026-11-27T09:58:31Z'),
};

export function limitOf(changed: Partial<Allowance>): Allowance {
  return {
    limitId: 'lim_1',
    name: 'refunds a day',
    dimension: 'money',
    currency: 'usd',
    unit: 'minor_units',
    cap: 1_000_000,
    period: '2026-11-27',
    available: 640_000,
    requested: 60_000,
    sufficient: true,
    refusal: null,
    ...changed,
  };
}

function definitionOf(type: string, config: JsonObject): ActionDefinition {
  return {
    adapter: { type, version: '1', config },
    inputSchema: {},
    outputSchema: null,
    governed: true,
    impact: [],
    verify: null,
    approval: { required: true, tag: null },
    timeoutMs: 30_000,
  };
}

function previewOf(sample: Sample): PreviewRecord {
  const { adapter = 'http.request', input = { payment: 'pay_1004', amount: 60_000 }, read = null } = sample;
  const impact = sample.impact ?? [{ dimension: 'money', currency: 'usd', amount: 60_000, bound: 'exact' as const }];
  const descriptor = DESCRIPTORS[adapter];
  const definition = definitionOf(adapter, sample.config ?? {});
  const prepared =
    adapter === 'http.request'
      ? null
      : descriptor.prepare({
          definition,
          input,
          identity: { invocationId: 'inv_1', effectId: 'eff_1', operationKey: 'k' },
        });
  if (prepared !== null && prepared.kind !== 'ready') throw new Error(JSON.stringify(prepared));
  const request: PreparedRequest = { ...(prepared?.request ?? REFUND), ...sample.request };
  const capabilities =
    adapter === 'http.request'
      ? {
          idempotent: true,
          idempotencyWindowSeconds: null,
          lookup: 'none' as const,
          replay: false,
          preview: true,
          reversible: false,
        }
      : descriptor.capabilitiesFor(definition);
  const told = {
    descriptor: adapter === 'http.request' ? { ...descriptor, previewBlocks: () => [] } : descriptor,
    definition,
    input,
  };
  const observation = read === null ? null : { blocks: read, observedAt: new Date('2026-11-27T09:30:00Z') };
  const target = prepared?.target ?? {};
  const binding = { request, target, scope: { impact } } as unknown as Parameters<typeof previewBlocks>[1];
  return {
    id: 'prv_0352PV5l88O2xamm8FJk5S',
    actionName: sample.actionName ?? 'payment.refund',
    adapterType: adapter,
    adapterVersion: '1',
    input,
    target,
    request,
    requestDigest: DIGEST,
    impact,
    capabilities,
    blocks: previewBlocks({ ...told, observation }, binding, capabilities),
    preconditions: { adapter: read === null ? {} : { read: true } },
    evidenceObservedAt: new Date('2026-11-27T09:30:00Z'),
  } as unknown as PreviewRecord;
}

const REFUND: PreparedRequest = {
  method: 'POST',
  url: 'https://payments.example.com/v1/refunds',
  headers: {
    'content-type': 'application/json',
    Authorization: 'Bearer {{secret:payments_key}}',
    'Idempotency-Key': 'eff_0352PV5l88O2xammJDdTcD',
  },
  body: '{"amount":60000,"payment":"pay_1004","reason":"Delivered late"}',
  bodyEncoding: 'utf8',
};

function approvalOf(preview: PreviewRecord | null): ApprovalRecord {
  const asked = preview !== null;
  return {
    id: 'apr_0352PV7FFYqoQj0zcWE1VZ',
    kind: asked ? 'invocation' : 'free_standing',
    status: 'pending',
    invocationId: asked ? 'inv_0352PV7FFYqoQj0zcWE1VA' : null,
    effectId: asked ? 'eff_0352PV5l88O2xammJDdTcD' : null,
    previewId: preview?.id ?? null,
    action: preview && { id: 'act_0352PV5l88O2xammJDdTcX', name: preview.actionName },
    title: asked ? `${preview.actionName} in Production` : 'Ship version 2.4',
    summary: asked ? 'Agent support-bot asks.' : 'Ships version 2.4 to all customers in Europe.',
    payload: asked ? null : { version: '2.4', regions: ['eu-west-1', 'eu-central-1'] },
    bindingDigest: DIGEST,
    policy: asked
      ? {
          source: 'policy',
          id: 'pol_0352PV6pi02m2Yuri9wBKc',
          version: 1,
          ruleId: 'over-500-usd',
          reason: 'Rule over-500-usd of policy large payments back requires 2 approvals: moving 600.00 USD.',
        }
      : { source: 'caller', id: null, version: null, ruleId: null, reason: 'Asked by its caller.' },
    quorum: 2,
    approversOfAll: [{}],
    preventSelf: true,
    requestedBy: { type: 'api_key', id: 'key_agent', maker: 'usr_grace' },
    runId: null,
    agentId: 'support-bot',
    decisions: [],
    remindersSent: 0,
    lastRemindedAt: null,
    createdAt: new Date('2026-11-27T09:31:00Z'),
    expiresAt: new Date('2026-11-27T13:31:00Z'),
    decidedAt: null,
    consumedAt: null,
  };
}

export function decisionBy(name: 'ada' | 'grace', changed: Partial<ApprovalRecord['decisions'][number]> = {}) {
  const email = `${name}@example.com`;
  return {
    decision: 'approve' as const,
    note: 'Checked with the customer.',
    bindingDigest: DIGEST,
    principal: { type: 'user' as const, id: `usr_${name}`, keyName: null, role: 'owner' as const, email, maker: null },
    sessionId: 'ses_1',
    session: { method: 'password' as const, at: '2026-11-20T09:00:00.000Z' },
    chat: null,
    app: null,
    stands: true,
    at: new Date('2026-11-27T09:50:00Z'),
    ...changed,
  };
}

const STRIPE: Sample = {
  adapter: 'stripe.refund',
  actionName: 'refund.create',
  config: { mode: 'live', secret: 'stripe_key' },
  input: { payment_intent: 'pi_3PqX9ZLkdIwHu7ix', amount: 60_000, reason: 'requested_by_customer' },
  read: [
    {
      type: 'fields',
      title: 'The payment at Stripe',
      fields: [
        { label: 'Received', value: '900.00 USD' },
        { label: 'Refunded already', value: '100.00 USD' },
        { label: 'Left after this refund', value: '200.00 USD' },
        { label: 'Status', value: 'succeeded' },
      ],
    },
  ],
  allowances: [
    limitOf({ requested: 60_000 }),
    limitOf({ name: 'refunds each', period: 'per_effect', cap: 100_000, available: 100_000 }),
  ],
};

const EMAIL: Sample = {
  adapter: 'resend.email',
  actionName: 'email.send',
  config: { domain: 'example.com', secret: 'RESEND_API_KEY' },
  input: {
    from: 'Shop <shop@example.com>',
    to: ['ada@example.org', 'grace@example.org'],
    subject: 'Your order is late',
    text: 'Dear customer,\n\nyour order arrives two days late. We are sorry.\n\nThe shop',
  },
  impact: [{ dimension: 'emails', amount: 2, bound: 'exact' }],
  allowances: [],
};

const PATCH: Sample = {
  actionName: 'customer.update',
  names: { actionDescription: 'Change the address of a customer. Used by support.' },
  impact: [{ dimension: 'resource_mutations', amount: 1, bound: 'exact' }],
  input: {},
  request: {
    method: 'PATCH',
    url: 'https://crm.example.com/customers/cus_88',
    body: '{"address":{"city":"Berlin","street":"Am Ufer 3"}}',
  },
  read: [
    {
      type: 'text_diff',
      title: 'Address',
      path: 'customers/cus_88',
      before: 'Ada Lovelace\nAm Markt 1\nBerlin\n',
      after: 'Ada Lovelace\nAm Ufer 3\nBerlin\n',
    },
  ],
  allowances: [],
};

export const UNSEEN = '\u202E\u200B\u2066\u00A0\u{E0041}';
export const MARKUP = `"><script>alert(1)</script>&amp;'\`<b>`;
const HOSTILE = (length: number): string => `${MARKUP}${UNSEEN}`.repeat(Math.ceil(length / 30)).slice(0, length);

export const SAMPLES: Record<string, Sample> = {
  'http-request': {},
  stripe: STRIPE,
  email: EMAIL,
  patch: PATCH,
  delete: {
    actionName: 'customer.delete',
    impact: [],
    input: {},
    request: { method: 'DELETE', url: 'https://crm.example.com/customers/cus_88', body: null },
    allowances: [limitOf({ requested: 900_000, sufficient: false, refusal: 'impact_limit_exceeded' })],
  },
  'free-standing': { approval: { kind: 'free_standing', quorum: 1 } },
  hostile: {
    request: {
      url: `https://${'a'.repeat(60)}.example.com/${'x'.repeat(600)}`,
      body: JSON.stringify({
        [HOSTILE(200)]: HOSTILE(3_000),
        note: `line\r\n\ttab ${HOSTILE(500)}`,
        long: 'w'.repeat(2_000),
      }),
    },
    approval: {
      agentId: HOSTILE(100),
      runId: 'r'.repeat(200),
      policy: { source: 'policy', id: 'pol_1', version: 3, ruleId: 'r', reason: HOSTILE(900) },
    },
    names: { keys: { key_agent: HOSTILE(100) }, policy: HOSTILE(200), actionDescription: HOSTILE(400) },
    allowances: [limitOf({ name: HOSTILE(200) })],
    environment: { name: HOSTILE(100) },
  },
  'under-way': {
    approval: { status: 'approved', decidedAt: NOW, decisions: [decisionBy('ada')] },
    outcome: { status: 'dispatching', grade: 'pending', answered: null, providerReference: null, settledAt: null },
  },
  settled: {
    ...STRIPE,
    approval: {
      status: 'consumed',
      decidedAt: NOW,
      consumedAt: NOW,
      decisions: [decisionBy('ada'), decisionBy('grace', { note: null })],
    },
    outcome: {},
  },
  refused: {
    approval: { status: 'consumed', decidedAt: NOW, consumedAt: NOW, decisions: [decisionBy('ada')] },
    outcome: {
      status: 'refused',
      grade: 'refused',
      refusalCode: 'impact_limit_exceeded',
      error:
        'dispatch refused (impact_limit_exceeded): the impact limit "refunds a day" has 400.00 of 1,000.00 USD left',
      answered: null,
      providerReference: null,
    },
  },
  unknown: {
    approval: { status: 'consumed', decidedAt: NOW, consumedAt: NOW, decisions: [decisionBy('ada')] },
    outcome: {
      status: 'unknown',
      grade: 'unknown',
      error: 'the connection broke after the request was sent',
      answered: null,
      providerReference: null,
    },
  },
  denied: {
    approval: {
      status: 'denied',
      decidedAt: NOW,
      decisions: [decisionBy('ada', { decision: 'deny', note: 'Not on a Friday.' })],
    },
    outcome: { status: 'denied', grade: 'denied' },
  },
  expired: { approval: { expiresAt: new Date('2026-11-27T09:40:00Z') } },
  invalidated: {
    approval: { status: 'invalidated', decidedAt: NOW, decisions: [decisionBy('ada', { stands: false })] },
    outcome: {
      status: 'refused',
      grade: 'refused',
      refusalCode: 'precondition_changed',
      error:
        'dispatch refused (precondition_changed): secret payments_key was replaced after the preview (version 1, now 2)',
    },
  },
};
