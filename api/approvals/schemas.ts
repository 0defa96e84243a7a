import { z } from 'zod';
import type { Allowance } from '../../db/impact-limits/allowances.ts';
import { type ApprovalRecord, type DecisionRecord, standingApprovals } from '../../db/approvals/records.ts';
import type { ListedPreviewRecord, PreviewRecord } from '../../db/previews/records.ts';
import { APPROVAL_KINDS, APPROVAL_STATUSES, DECISIONS } from '../../domain/approvals/approval.ts';
import { approvalUrl } from '../../domain/console-links.ts';
import { CHAT_PROVIDERS } from '../../domain/integrations/integrations.ts';
import { jsonBytes } from '../../domain/json.ts';
import type { StoredAuthentication } from '../../domain/passkeys/authentication.ts';
import { ROLES } from '../../domain/roles.ts';
import type { Caller, WorkDependencies } from '../http/define-route.ts';
import { anyJson, authenticationSchema, durationSchema, presentAuthentication } from '../http/common-fields.ts';
import { waitSeconds } from '../http/long-poll.ts';
import { actorSchema } from '../invocations/schemas.ts';
import {
  allowanceSchema,
  listedPreviewSchema,
  presentListedPreview,
  presentPreview,
  previewSchema,
} from '../previews/schemas.ts';

const dateTime = z.iso.datetime();
const TITLE_CHARACTERS_MAX = 200;
const SUMMARY_CHARACTERS_MAX = 2_000;
const NOTE_CHARACTERS_MAX = 2_000;
const QUORUM_MAX = 10;
export const PAYLOAD_BYTES_MAX = 65_536;
export const EXPIRES_IN_SECONDS_DEFAULT = 24 * 3_600;

export const approvalParams = z.strictObject({ id: z.string().min(1).max(100) });

export const getApprovalQuery = z.strictObject({ wait: waitSeconds('a decision, or an end') });

export const listApprovalsQuery = z.strictObject({
  status: z.enum(APPROVAL_STATUSES).optional(),
  kind: z.enum(APPROVAL_KINDS).optional(),
  action: z.string().min(1).max(100).optional().describe('Id or name of the action.'),
  invocationId: z.string().min(1).max(100).optional(),
  effectId: z.string().min(1).max(100).optional(),
});

export const createApprovalBody = z
  .strictObject({
    title: z.string().trim().min(1).max(TITLE_CHARACTERS_MAX),
    summary: z
      .string()
      .trim()
      .min(1)
      .max(SUMMARY_CHARACTERS_MAX)
      .describe('What will happen, in one sentence for those who decide.'),
    payload: anyJson
      .refine((payload) => jsonBytes(payload) <= PAYLOAD_BYTES_MAX, 'must be at most 64 KiB of JSON')
      .describe('What is agreed to. Part of the binding digest.'),
    expiresIn: durationSchema({ from: 'PT1M', to: 'P30D', example: 'PT4H' })
      .optional()
      .describe('ISO 8601 duration, PT1M to P30D. Default P1D.'),
    quorum: z.int().min(1).max(QUORUM_MAX).default(1).describe('How many different principals must approve.'),
  })
  .meta({ id: 'ApprovalRequest' });

const note = z.string().trim().min(1).max(NOTE_CHARACTERS_MAX);

export const approveBody = z
  .strictObject({
    bindingDigest: z
      .string()
      .max(200)
      .describe("The approval's own, as it was shown: a decision is about exactly this. Another one is answered 409."),
    note: note.optional(),
  })
  .meta({ id: 'ApproveRequest' });

export const denyBody = z.strictObject({ note: note.describe('Why. Kept for good.') }).meta({ id: 'DenyRequest' });

const approversSchema = z
  .strictObject({
    roles: z.array(z.enum(ROLES)).optional(),
    users: z.array(z.string()).optional(),
    keys: z.array(z.string()).optional(),
  })
  .meta({ id: 'Approvers' });

const decisionSchema = z
  .strictObject({
    actor: actorSchema,
    decision: z.enum(DECISIONS),
    note: z.string().nullable(),
    bindingDigest: z.string(),
    authentication: z
      .strictObject({
        ...authenticationSchema.shape,
        keyName: z.string().nullable(),
        sessionId: z.string().nullable(),
        chat: z
          .strictObject({
            provider: z.enum(CHAT_PROVIDERS),
            integrationId: z.string(),
            userId: z.string(),
            userName: z.string(),
          })
          .nullable()
          .describe('The chat user who is linked to the actor, where it decided in a chat.'),
        app: z
          .strictObject({ clientId: z.string(), connectedAppId: z.string() })
          .nullable()
          .describe('The app that the actor has let decide for them, where it did.'),
        role: z.enum(ROLES).nullable(),
      })
      .describe('How the actor was known when it decided.'),
    stands: z
      .boolean()
      .describe(
        'False once its key was revoked, its app disconnected, or its member, or the maker of its key, removed. An agreement that does not stand when the approval is consumed does not count.',
      ),
    at: dateTime,
  })
  .meta({ id: 'ApprovalDecision' });

export const approvalSchema = z
  .strictObject({
    id: z.string(),
    kind: z.enum(APPROVAL_KINDS).describe('`free_standing`: for work that its caller runs itself.'),
    status: z
      .enum(APPROVAL_STATUSES)
      .describe(
        '`consumed`: the one dispatch that it was given for was marked. `invalidated`: what was agreed to no longer held.',
      ),
    invocationId: z.string().nullable(),
    effectId: z.string().nullable(),
    previewId: z.string().nullable(),
    action: z.strictObject({ id: z.string(), name: z.string() }).nullable(),
    title: z.string(),
    summary: z.string().describe('What will happen, in one sentence.'),
    payload: anyJson.describe('What a free-standing approval agrees to; null for the others.'),
    bindingDigest: z.string().describe('Echo it to approve.'),
    policy: z
      .strictObject({
        source: z.enum(['policy', 'action', 'environment', 'caller']),
        id: z.string().nullable(),
        version: z.int().nullable(),
        ruleId: z.string().nullable(),
        reason: z.string(),
      })
      .meta({ id: 'ApprovalReason', description: 'Why it is asked for.' }),
    quorum: z.strictObject({ required: z.int(), received: z.int() }).meta({
      id: 'ApprovalQuorum',
      description: '`received`: how many people agreed; until the approval ends, those alone whose agreement stands.',
    }),
    approvers: z
      .array(approversSchema)
      .describe(
        'Each of these must name the one who decides. An entry without names: any key with `approvals:decide`, any admin or owner.',
      ),
    preventSelf: z.boolean().describe('The requester cannot approve.'),
    decisions: z.array(decisionSchema).describe('Oldest first.'),
    requestedBy: actorSchema,
    agentId: z.string().nullable(),
    runId: z.string().nullable(),
    preview: previewSchema
      .nullable()
      .describe(
        'Exactly what will be sent, credentials hidden; its target, impact and blocks. Null for a free-standing one.',
      ),
    allowances: z
      .array(allowanceSchema)
      .describe('What remains of the impact limits: now, while it is pending; as it was previewed, afterwards.'),
    reminders: z.strictObject({ sent: z.int(), lastAt: dateTime.nullable() }),
    url: z
      .url()
      .nullable()
      .describe('Where a person reads this and decides, signed in. Null where the service has no `PUBLIC_URL`.'),
    createdAt: dateTime,
    expiresAt: dateTime,
    decidedAt: dateTime.nullable(),
    consumedAt: dateTime.nullable(),
  })
  .meta({ id: 'Approval' });

/** A large `payload` is replaced by `Shortened`. */
export const listedApprovalSchema = approvalSchema
  .extend({ preview: listedPreviewSchema.nullable() })
  .meta({ id: 'ListedApproval' });

export interface ListedApproval extends Omit<ShownApproval, 'preview'> {
  preview: ListedPreviewRecord | null;
}

export interface ShownApproval {
  approval: ApprovalRecord;
  preview: PreviewRecord | null;
  allowances: Allowance[];
}

export interface PagePlace {
  pagesUrl: string | null;
  environmentId: string;
}

export function placeOf(
  { pagesUrl }: Pick<WorkDependencies, 'pagesUrl'>,
  { tenant }: Pick<Caller, 'tenant'>,
): PagePlace {
  return { pagesUrl, environmentId: tenant.environmentId };
}

export function presentApproval(
  { preview, ...shown }: ShownApproval,
  place: PagePlace,
): z.input<typeof approvalSchema> {
  return { ...presentRest(shown, place), preview: preview && presentPreview(preview) };
}

export function presentListedApproval(
  { preview, ...shown }: ListedApproval,
  place: PagePlace,
): z.input<typeof listedApprovalSchema> {
  return { ...presentRest(shown, place), preview: preview && presentListedPreview(preview) };
}

type Rest = Omit<z.input<typeof approvalSchema>, 'preview'>;

function presentRest(
  { approval, allowances }: Omit<ShownApproval, 'preview'>,
  { pagesUrl, environmentId }: PagePlace,
): Rest {
  const { policy, decisions } = approval;
  return {
    id: approval.id,
    kind: approval.kind,
    status: approval.status,
    invocationId: approval.invocationId,
    effectId: approval.effectId,
    previewId: approval.previewId,
    action: approval.action,
    title: approval.title,
    summary: approval.summary,
    payload: approval.payload,
    bindingDigest: approval.bindingDigest,
    policy: {
      source: policy.source,
      id: policy.id,
      version: policy.version,
      ruleId: policy.ruleId,
      reason: policy.reason,
    },
    quorum: { required: approval.quorum, received: receivedOf(approval) },
    approvers: approval.approversOfAll,
    preventSelf: approval.preventSelf,
    decisions: decisions.map(
      ({ principal, sessionId, session, chat, app, at, stands, decision, note: said, bindingDigest }) => ({
        actor: { type: principal.type, id: principal.id },
        decision,
        note: said,
        bindingDigest,
        authentication: {
          ...presentAuthentication(methodOf({ principal, session, chat, app }), at.toISOString()),
          keyName: principal.keyName,
          sessionId,
          chat,
          app,
          role: principal.role,
        },
        stands,
        at: at.toISOString(),
      }),
    ),
    requestedBy: requesterOf(approval.requestedBy),
    agentId: approval.agentId,
    runId: approval.runId,
    allowances,
    reminders: { sent: approval.remindersSent, lastAt: approval.lastRemindedAt?.toISOString() ?? null },
    url: approvalUrl(pagesUrl, environmentId, approval.id),
    createdAt: approval.createdAt.toISOString(),
    expiresAt: approval.expiresAt.toISOString(),
    decidedAt: approval.decidedAt?.toISOString() ?? null,
    consumedAt: approval.consumedAt?.toISOString() ?? null,
  };
}

type Decided = Pick<DecisionRecord, 'principal' | 'session' | 'chat' | 'app'>;

function methodOf({ principal, session, chat, app }: Decided): StoredAuthentication {
  if (session !== null) return session;
  if (principal.type === 'api_key') return { method: 'api_key', at: null };
  if (app !== null) return { method: 'oauth', at: null };
  return { method: chat === null ? 'password' : 'chat', at: null };
}

function requesterOf({ type, id, clientId }: ApprovalRecord['requestedBy']): z.input<typeof actorSchema> {
  return { type, id, ...(typeof clientId === 'string' ? { clientId } : {}) };
}

/** An ended approval keeps its count: revoking a key afterwards does not lower it. */
export function receivedOf(approval: ApprovalRecord): number {
  const isOpen = approval.status === 'pending' || approval.status === 'approved';
  if (isOpen) return standingApprovals(approval).length;
  return standingApprovals({ decisions: approval.decisions.map((each) => ({ ...each, stands: true })) }).length;
}
