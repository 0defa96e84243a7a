import { z } from 'zod';
import type { ActionRecord, ActionVersionRecord } from '../../db/actions/records.ts';
import { ACTION_TIMEOUT_MS_MAX } from '../../domain/actions.ts';
import { orShortened, versionNumber } from '../http/common-fields.ts';

/** An id (`act_…`) or a name. Allows only characters of the two, so nothing else reaches the database. */
export const actionRefParams = z.strictObject({
  ref: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, 'must be the id or the name of an action')
    .describe('Id or name of the action. An archived action is found by its id alone.'),
});

export const actionVersionParams = z.strictObject({ ref: actionRefParams.shape.ref, number: versionNumber });

const jsonObject = z.record(z.string(), z.unknown());

const impactDeclaration = z
  .strictObject({
    dimension: z.string(),
    currency: z.string().optional(),
    amount: z.union([z.strictObject({ path: z.string() }), z.strictObject({ const: z.int() })]),
    bound: z.enum(['exact', 'upper_bound']),
    observed: z
      .strictObject({ path: z.string() })
      .optional()
      .describe('Path into the response `{status, headers, body}`: what an `upper_bound` settles to.'),
  })
  .meta({ id: 'ImpactDeclaration' });

const expectation = z
  .strictObject({ path: z.string(), op: z.enum(['eq', 'in', 'exists']), value: z.unknown().optional() })
  .meta({ id: 'Expectation' });

const verifyDeclaration = z
  .strictObject({
    request: z.strictObject({
      method: z.literal('GET'),
      url: z.string(),
      headers: z.record(z.string(), z.string()).optional(),
    }),
    expect: z.array(expectation),
    pending: z.array(expectation).optional(),
    failed: z.array(expectation).optional(),
    absenceProves: z.strictObject({ minAgeSeconds: z.number(), reads: z.int() }).optional(),
  })
  .meta({ id: 'VerifyDeclaration' });

const adapterReference = z.strictObject({ type: z.string(), version: z.string(), config: jsonObject });
const digest = z.string().meta({ description: 'SHA-256 over the RFC 8785 (JCS) bytes of the definition.' });
const timeoutMs = z.int().min(1).max(ACTION_TIMEOUT_MS_MAX);

export const actionSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    environmentId: z.uuid(),
    adapter: adapterReference,
    inputSchema: jsonObject.describe('JSON Schema 2020-12 of the input.'),
    outputSchema: jsonObject.optional(),
    governed: z.boolean().describe('True where the action carries impact, verify or governed: true.'),
    impact: z.array(impactDeclaration),
    verify: verifyDeclaration.optional(),
    approval: z.strictObject({ required: z.boolean(), tag: z.string().optional() }),
    timeoutMs,
    mcp: z
      .strictObject({ pinned: z.boolean() })
      .describe('pinned: a tool of its own for MCP clients, under its own name. It is no part of the versions.'),
    currentVersion: z.strictObject({ id: z.string(), number: z.int().min(1), digest }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    archivedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Action' });

/** A large config or schema is replaced by `Shortened`, which is a JSON object too. */
export const listedActionSchema = actionSchema
  .extend({ verify: orShortened(verifyDeclaration).optional() })
  .meta({ id: 'ListedAction' });

/** Exactly as it is digested: an undeclared member is null. */
const actionDefinition = z
  .strictObject({
    adapter: adapterReference,
    inputSchema: jsonObject,
    outputSchema: jsonObject.nullable(),
    governed: z.boolean(),
    impact: z.array(impactDeclaration),
    verify: verifyDeclaration.nullable(),
    approval: z.strictObject({ required: z.boolean(), tag: z.string().nullable() }),
    timeoutMs,
  })
  .meta({ id: 'ActionDefinition' });

export const actionVersionSchema = z
  .strictObject({
    id: z.string(),
    actionId: z.string(),
    number: z.int().min(1),
    digest,
    definition: actionDefinition,
    createdBy: z.strictObject({ type: z.string(), id: z.string() }),
    createdAt: z.iso.datetime(),
    changeNote: z.string().nullable(),
  })
  .meta({ id: 'ActionVersion' });

export const listedVersionSchema = actionVersionSchema
  .extend({
    definition: actionDefinition
      .extend({ verify: orShortened(verifyDeclaration).nullable() })
      .meta({ id: 'ListedActionDefinition' }),
  })
  .meta({ id: 'ListedActionVersion' });

export function presentAction(action: ActionRecord): z.input<typeof actionSchema> {
  const { adapter, inputSchema, outputSchema, governed, impact, verify, approval, timeoutMs } = action.definition;
  return {
    id: action.id,
    name: action.name,
    description: action.description,
    environmentId: action.environmentId,
    adapter,
    inputSchema,
    ...(outputSchema === null ? {} : { outputSchema }),
    governed,
    impact,
    ...(verify === null ? {} : { verify }),
    approval: { required: approval.required, ...(approval.tag === null ? {} : { tag: approval.tag }) },
    timeoutMs,
    mcp: { pinned: action.mcpPinned },
    currentVersion: action.currentVersion,
    createdAt: action.createdAt.toISOString(),
    updatedAt: action.updatedAt.toISOString(),
    archivedAt: action.archivedAt?.toISOString() ?? null,
  };
}

export function presentVersion(version: ActionVersionRecord): z.input<typeof actionVersionSchema> {
  return { ...version, createdAt: version.createdAt.toISOString() };
}
