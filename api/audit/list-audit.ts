import { z } from 'zod';
import { listAudit } from '../../db/audit/list-audit.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { auditEntrySchema, listAuditQuery, presentAuditEntry } from './schemas.ts';

export const listAuditRoute = defineRoute({
  of: 'workspace',
  id: 'audit.list',
  method: 'GET',
  path: '/api/v2/workspaces/{workspaceId}/audit',
  summary: "List a workspace's audit log, newest first",
  description:
    'Shows every change and who made it: keys, members, sign-ins, environments, halts, secrets, actions and more. Entries ' +
    'are chained by hash. No entry holds a credential.',
  role: 'admin',
  feature: 'audit_log',
  request: { params: z.strictObject({ workspaceId: z.uuid() }), query: listAuditQuery },
  response: { 200: z.array(auditEntrySchema) },
  list: async (tx, { query, page }) => presented(await listAudit(tx, { ...query, ...page }), presentAuditEntry),
});
