import { awaitApprovalStart } from '../../../temporal/approvals/await-approval.ts';
import { type DeclaredStart, ENVIRONMENT, OF_TENANT, REF } from '../start-declarations.ts';

export const starts: DeclaredStart[] = [
  [
    'approval/apr_1',
    awaitApprovalStart({ ...REF, subject: 'refund.create' }, 'q', ENVIRONMENT),
    [...OF_TENANT, 'ActionName', 'InvocationId', 'Stage'],
  ],
  [
    'approval/apr_1',
    awaitApprovalStart({ ...REF, invocationId: null, subject: 'free-standing' }, 'q', ENVIRONMENT),
    [...OF_TENANT, 'Stage'],
  ],
];
