import type { AnyRoute } from '../http/define-route.ts';
import { applyPlanRoute } from './apply-plan.ts';
import { createPolicyRoute } from './create-policy.ts';
import { deletePolicyRoute } from './delete-policy.ts';
import { evaluateRoute } from './evaluate.ts';
import { getPolicyRoute } from './get-policy.ts';
import { listPoliciesRoute } from './list-policies.ts';
import { planFilesRoute } from './plan-files.ts';
import { testFilesRoute } from './test-files.ts';
import { updatePolicyRoute } from './update-policy.ts';
import { getPolicyVersionRoute, listPolicyVersionsRoute } from './versions.ts';

export const approvalPolicyRoutes: AnyRoute[] = [
  listPoliciesRoute,
  createPolicyRoute,
  evaluateRoute,
  planFilesRoute,
  applyPlanRoute,
  testFilesRoute,
  getPolicyRoute,
  updatePolicyRoute,
  deletePolicyRoute,
  listPolicyVersionsRoute,
  getPolicyVersionRoute,
];
