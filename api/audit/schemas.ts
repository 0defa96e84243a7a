import { z } from 'zod';
import type { AuditEntry } from '../../db/audit/list-audit.ts';
import { AUDIT_ACTOR_TYPES } from '../../db/audit/record-audit.ts';
import { anyJson, authenticationSchema, filterInstant, presentAuthentication } from '../http/common-fields.ts';

const NAME_CHARACTERS_MAX = 100;

export const listAuditQuery = z.strictObject({
  actor: z.string().min(1).max(NAME_CHARACTERS_MAX).optional().describe('Id of the user or the API key.'),
  action: z.string().min(1).max(NAME_CHARACTERS_MAX).optional().describe('Such as `environment.halted`.'),
  target: z.string().min(1).max(NAME_CHARACTERS_MAX).optional().describe('Id of what was changed.'),
  environmentId: z.uuid().optional(),
  startDate: filterInstant.optional().describe('From this moment on.'),
  endDate: filterInstant.optional().describe('Until before this moment.'),
});

export const auditEntrySchema = z
  .strictObject({
    id: z.string(),
    sequence: z.int().min(1).describe("Counts the workspace's entries."),
    actor: z.strictObject({ type: z.enum(AUDIT_ACTOR_TYPES), id: z.string().nullable() }),
    authentication: authenticationSchema
      .nullable()
      .describe('How the actor was authenticated. null: the service itself, or nobody was.'),
    action: z.string().meta({ examples: ['environment.halted'] }),
    target: z.strictObject({ type: z.string(), id: z.string() }),
    environmentId: z.uuid().nullable().describe('null: of the workspace as a whole.'),
    details: z.record(z.string(), anyJson),
    requestId: z.string().nullable(),
    recordedAt: z.iso.datetime(),
    previousHash: z.string().nullable().describe('The hash of the entry before; null for the first.'),
    hash: z.string().describe('SHA-256 over the entry and `previousHash`; the database computes it.'),
  })
  .meta({ id: 'AuditEntry', description: 'Who changed what. Never changed or removed.' });

export function presentAuditEntry(entry: AuditEntry): z.input<typeof auditEntrySchema> {
  const recordedAt = entry.recordedAt.toISOString();
  const authentication = entry.authentication && presentAuthentication(entry.authentication, recordedAt);
  return { ...entry, authentication, recordedAt };
}
