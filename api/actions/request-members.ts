import { z } from 'zod';
import { ID_PREFIXES, type IdKind, idPattern } from '../../domain/ids.ts';
import { anyJson } from '../http/common-fields.ts';

export const OPERATION_KEY_CHARACTERS_MAX = 255;
export const AGENT_ID_CHARACTERS_MAX = 60;
const DEPENDENCIES_MAX = 20;

export const idOf = (kind: IdKind) =>
  z.string().regex(idPattern(kind), `must be an id of the form ${ID_PREFIXES[kind]}_…`);

export const actionParams = z.strictObject({ ref: z.string().min(1).max(100).describe('Id or name of the action.') });

export const requestMembers = {
  input: z.record(z.string(), anyJson).describe("Checked against the action version's inputSchema."),
  operationKey: z
    .string()
    .min(1)
    .max(OPERATION_KEY_CHARACTERS_MAX)
    .optional()
    .describe('Names the operation for good, beyond the 24 hours of an Idempotency-Key, which it defaults to.'),
  dependsOn: z
    .array(idOf('effect'))
    .max(DEPENDENCIES_MAX)
    .refine((ids) => new Set(ids).size === ids.length, 'names an effect twice')
    .optional()
    .describe('Effects that must have succeeded before this one is sent. Where one ends otherwise, it is refused.'),
  compensates: idOf('effect').optional().describe('The effect that this one makes up for.'),
  retryOf: idOf('invocation').optional().describe('The earlier invocation that this one runs again under a new key.'),
  runId: idOf('run').optional(),
  agentId: z.string().min(1).max(AGENT_ID_CHARACTERS_MAX).optional(),
};
