import { newId } from '../../../domain/ids.ts';
import { DIGEST, insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** An approval policy with its version, which increments the environment's revision, and a plan. */
  async plant(owner, { environmentId: environment_id }) {
    const policyId = newId('approvalPolicy');
    await owner.query('BEGIN'); // the policy names its version and the version its policy; the commit checks both
    await insert(owner, 'approval_policies', {
      id: policyId,
      environment_id,
      name: policyId,
      priority: 0,
      current_version: 1,
    });
    await insert(owner, 'approval_policy_versions', {
      policy_id: policyId,
      version: 1,
      environment_id,
      digest: DIGEST,
      document: { name: policyId, priority: 0 },
      created_by: {},
    });
    await owner.query('COMMIT');
    await insert(owner, 'policy_plans', {
      id: newId('policyPlan'),
      environment_id,
      base_revision: 0,
      digest: DIGEST,
      changes: '[]',
      created_by: {},
      expires_at: new Date(),
    });
  },
  writtenByDatabase: ['policy_revisions'],
};
