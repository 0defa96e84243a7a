import { z } from 'zod';
import { listAudit } from '../../db/audit/list-audit.ts';
import { defineWorkspaceRoute } from '../http/define-route.ts';
import { paginationOf } from '../http/pagination.ts';
import { auditEntrySchema, listAuditQuery, presentAuditEntry } from './schemas.ts';

export const listAuditRoute = defineWorkspaceRoute({
  id: 'audit.list',
  method: 'GET',
  path: '/api/v2/workspaces/{workspaceId}/audit',
  summary: "List a workspace's audit log, newest first",
  description:
    'Every change of the platform with who made it: keys, members, sign-ins, environments, halts, secrets, actions. Entries ' +
    'are chained by their hashes. No entry holds a credential.',
  role: 'admin',
  feature: 'audit_log',
  request: { params: z.strictObject({ workspaceId: z.uuid() }), query: listAuditQuery },
  response: { 200: z.array(auditEntrySchema) },
  paginated: true,
  errors: ['NOT_FOUND'],
  async handler({ query: { page, limit, startDate, endDate, ...filter }, caller, deps }) {
    const { items, total } = await deps.db.withWorkspace(caller.workspaceId, (tx) =>
      listAudit(tx, {
        ...filter,
        startDate: startDate === undefined ? undefined : new Date(startDate),
        endDate: endDate === undefined ? undefined : new Date(endDate),
        limit,
        offset: (page - 1) * limit,
      }),
    );
    return { status: 200, data: items.map(presentAuditEntry), pagination: paginationOf(total, page, limit) };
  },
});
