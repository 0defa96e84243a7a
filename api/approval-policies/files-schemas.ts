import { z } from 'zod';
import { DOCUMENT_BYTES_MAX } from '../../domain/approval-policies/document-text.ts';
import type { AppliedPlan } from '../../db/approval-policies/records.ts';
import { idPattern } from '../../domain/ids.ts';
import { governanceWarningSchema } from '../http/common-fields.ts';
import { shownDocument } from './schemas.ts';

export const FILES_MAX = 100;
const PATH_CHARACTERS_MAX = 500;

const file = z
  .strictObject({
    path: z.string().min(1).max(PATH_CHARACTERS_MAX).describe('For messages; it decides nothing.'),
    content: z
      .string()
      .refine(
        (text) => Buffer.byteLength(text, 'utf8') <= DOCUMENT_BYTES_MAX,
        `is longer than ${DOCUMENT_BYTES_MAX} bytes`,
      )
      .describe(`One policy document in YAML or JSON, at most ${DOCUMENT_BYTES_MAX} bytes.`),
  })
  .meta({ id: 'ApprovalPolicyFile' });

export const filesMember = z
  .array(file)
  .min(1)
  .max(FILES_MAX)
  .describe(`One policy each, told apart by name; at most ${FILES_MAX}, and 1 MiB with the whole request.`);

export const planBody = z
  .strictObject({
    files: filesMember,
    prune: z.boolean().optional().describe('Delete the policies that no file names. Left out: they are left alone.'),
  })
  .meta({ id: 'PlanApprovalPolicyFiles' });

const action = z.enum(['create', 'update', 'delete', 'none']);

export const planSchema = z
  .strictObject({
    planId: z.string(),
    baseRevision: z.int().min(0).describe('The revision of the policies that the files were compared with.'),
    digest: z.string().describe('Names what the plan does; `apply` repeats it.'),
    unchanged: z.boolean().describe('True where nothing would change.'),
    changes: z.array(
      z.strictObject({ name: z.string(), action, before: shownDocument.nullable(), after: shownDocument.nullable() }),
    ),
    warnings: z.array(governanceWarningSchema).describe('What may be a slip. Each path leads into the request.'),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'ApprovalPolicyPlan' });

export const applyBody = z
  .strictObject({
    planId: z.string().regex(idPattern('policyPlan'), 'must be an id of the form ppl_…'),
    digest: z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be the digest of the plan'),
    failOnWarnings: z
      .boolean()
      .optional()
      .describe('Refuse with 400 and change nothing where there is a warning; `details.warnings` has them.'),
  })
  .meta({ id: 'ApplyApprovalPolicyPlan' });

export const appliedSchema = z
  .strictObject({
    planId: z.string(),
    revision: z.int().min(0).describe('The revision of the policies after it.'),
    changes: z.array(
      z.strictObject({
        name: z.string(),
        action,
        policyId: z.string().nullable(),
        version: z.int().nullable().describe('The newest after it.'),
      }),
    ),
    warnings: z
      .array(governanceWarningSchema)
      .describe('What may be a slip, as in the plan. Each path leads into the `changes` of the plan.'),
    appliedAt: z.iso.datetime(),
  })
  .meta({ id: 'AppliedApprovalPolicyPlan' });

/** Fixed order of members, so that a replay from the database has the same bytes as the first reply. */
export function presentApplied({
  planId,
  revision,
  changes,
  warnings,
  appliedAt,
}: AppliedPlan): z.input<typeof appliedSchema> {
  return {
    planId,
    revision,
    changes: changes.map(({ name, action, policyId, version }) => ({ name, action, policyId, version })),
    warnings: warnings.map(({ path, code, message }) => ({ path, code, message })),
    appliedAt,
  };
}
