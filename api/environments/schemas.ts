import { z } from 'zod';
import { ENVIRONMENT_KINDS } from '../../db/environments/workspaces.ts';
import { APPROVAL_DEFAULTS, type EnvironmentRecord } from '../../db/environments/environments.ts';

const NAME_CHARACTERS_MAX = 100;
const HALT_REASON_CHARACTERS_MAX = 500;

export const workspaceParams = z.strictObject({ workspaceId: z.uuid() });
export const environmentParams = z.strictObject({ workspaceId: z.uuid(), environmentId: z.uuid() });

const name = z.string().trim().min(1).max(NAME_CHARACTERS_MAX).describe('Unique in the workspace.');
const isProtected = z
  .boolean()
  .describe(
    'Deleting a secret or a schedule of a protected environment takes `confirmProtected: true`; an ungoverned action that writes needs `actions:govern`. Who has a passkey confirms decisions and the like with it (docs/identity.md, "Step-up").',
  );
const requireSecondFactor = z
  .boolean()
  .describe(
    'Decisions, resolutions, replays, halts and new API keys of this environment take a passkey of the person, and nobody decides through a chat or an app.',
  );
const approvalDefault = z
  .enum(APPROVAL_DEFAULTS)
  .nullable()
  .describe(
    'What decides where neither a policy nor the action does. null: by the kind, which is require_approval for governed actions in production and allow elsewhere.',
  );

export const createEnvironmentBody = z
  .strictObject({
    name,
    kind: z.enum(ENVIRONMENT_KINDS).describe('Fixed for good.'),
    protected: isProtected.optional().describe('Left out: true for production, false elsewhere.'),
    approvalDefault: approvalDefault.optional(),
  })
  .meta({ id: 'CreateEnvironmentRequest' });

export const updateEnvironmentBody = z
  .strictObject({
    name: name.optional(),
    protected: isProtected.optional(),
    requireSecondFactor: requireSecondFactor.optional(),
    approvalDefault: approvalDefault.optional(),
  })
  .meta({ id: 'UpdateEnvironmentRequest' });

export const haltBody = z
  .strictObject({
    reason: z
      .string()
      .trim()
      .min(1)
      .max(HALT_REASON_CHARACTERS_MAX)
      .describe('Callers read it in the refusal of each invocation. Never put a credential here.'),
  })
  .meta({ id: 'HaltEnvironmentRequest' });

export const environmentSchema = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    kind: z.enum(ENVIRONMENT_KINDS),
    protected: z.boolean(),
    requireSecondFactor,
    approvalDefault: z.enum(APPROVAL_DEFAULTS).nullable().describe('null: by the kind.'),
    haltedAt: z.iso.datetime().nullable().describe('null while it runs.'),
    haltedReason: z.string().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Environment' });

export function presentEnvironment(environment: EnvironmentRecord): z.input<typeof environmentSchema> {
  return {
    id: environment.id,
    name: environment.name,
    kind: environment.kind,
    protected: environment.protected,
    requireSecondFactor: environment.requireSecondFactor,
    approvalDefault: environment.approvalDefault,
    haltedAt: environment.haltedAt?.toISOString() ?? null,
    haltedReason: environment.haltedReason,
    createdAt: environment.createdAt.toISOString(),
  };
}
