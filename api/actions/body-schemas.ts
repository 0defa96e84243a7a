import { z } from 'zod';
import { ACTION_TIMEOUT_MS_DEFAULT, ACTION_TIMEOUT_MS_MAX } from '../../domain/actions.ts';
import { isId } from '../../domain/ids.ts';
import { impactDeclarationsSchema } from '../../domain/impact.ts';
import { verifySchema } from '../../domain/adapters/http-request-verify.ts';

export const ACTION_DESCRIPTION_CHARACTERS_MAX = 2_000;
export const CHANGE_NOTE_CHARACTERS_MAX = 500;
export const APPROVAL_TAG_CHARACTERS_MAX = 64;
export const ACTION_NAME_PATTERN = /^[a-z][a-z0-9_.-]{0,63}$/;

/** Literal paths below /api/v2/actions: an action of that name would be unreachable. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['import', 'invocations', 'effects', 'previews', 'tools']);

export const actionNameSchema = z
  .string()
  .regex(ACTION_NAME_PATTERN, 'must be a lower-case letter, then at most 63 of a-z, 0-9, "_", "." or "-"')
  .refine((value) => !RESERVED_NAMES.has(value), 'is a reserved word; choose another name')
  .refine((value) => !isId('action', value), 'has the form of an action id; choose another name')
  .describe('Unique among the live actions of the environment.');

const jsonObject = z.record(z.string(), z.unknown());

const adapterSchema = z
  .strictObject({
    type: z.string().min(1).max(100).describe('For example `http.request`.'),
    version: z.string().min(1).max(50).optional().describe("Left out: the adapter's newest, which is recorded."),
    config: jsonObject.describe("What the adapter's documentation says."),
  })
  .meta({ id: 'ActionAdapter' });

const members = {
  description: z.string().max(ACTION_DESCRIPTION_CHARACTERS_MAX).nullable(),
  adapter: adapterSchema.describe('What makes the call, and how. A PATCH replaces it whole.'),
  inputSchema: jsonObject.describe('JSON Schema 2020-12 of the input; it must describe an object.'),
  outputSchema: jsonObject
    .nullable()
    .describe('JSON Schema 2020-12 of the `result` of an invocation: `{status, headers, body}`.'),
  governed: z
    .boolean()
    .describe('An action with impact or verify is governed whatever stands here, and may not say false.'),
  impact: impactDeclarationsSchema.describe('What one invocation uses up. An empty list is none.'),
  verify: verifySchema.nullable().describe('How the outcome is read back from the provider.'),
  approval: z
    .strictObject({
      required: z.boolean().optional(),
      tag: z.string().min(1).max(APPROVAL_TAG_CHARACTERS_MAX).nullable().optional(),
    })
    .describe('Whether a person must approve. A member that a PATCH leaves out stays as it is.'),
  timeoutMs: z
    .int()
    .min(1)
    .max(ACTION_TIMEOUT_MS_MAX)
    .describe(`Milliseconds that the call may take; ${ACTION_TIMEOUT_MS_DEFAULT} where none is named.`),
  mcp: z
    .strictObject({ pinned: z.boolean().optional() })
    .describe('pinned: a tool of its own for MCP clients, under its own name. False where it is left out.'),
  changeNote: z.string().max(CHANGE_NOTE_CHARACTERS_MAX).nullable().describe('Kept with the version that this makes.'),
} as const;

export const createActionBody = z
  .strictObject({ ...members, name: actionNameSchema })
  .partial()
  .required({ name: true, adapter: true })
  .meta({ id: 'CreateAction' });

export const updateActionBody = z
  .strictObject({ ...members, name: actionNameSchema })
  .partial()
  .meta({ id: 'UpdateAction' });

export type CreateActionBody = z.output<typeof createActionBody>;
export type UpdateActionBody = z.output<typeof updateActionBody>;
