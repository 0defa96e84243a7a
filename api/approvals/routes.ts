import type { AnyRoute } from '../http/define-route.ts';
import { createApprovalRoute } from './create-approval.ts';
import { approveRoute, denyRoute } from './decide-approval.ts';
import { getApprovalRoute, listApprovalsRoute } from './read-approvals.ts';

export const approvalRoutes: AnyRoute[] = [
  listApprovalsRoute,
  createApprovalRoute,
  getApprovalRoute,
  approveRoute,
  denyRoute,
];
