import { getAction } from '../../db/actions/queries.ts';
import type { ActionRecord } from '../../db/actions/records.ts';
import { readEvaluationContext } from '../../db/approval-policies/evaluation.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { policySetInSteps, type PolicySet } from '../../domain/approval-policies/policy-set.ts';
import { policyTurns } from '../../domain/approval-policies/policy-turns.ts';
import type { InSteps } from '../../domain/in-steps.ts';
import { defineRoute } from '../http/define-route.ts';
import { fileIssuesBeside } from './document.ts';
import { testBody, testedSchema, type Fixture } from './fixture-schemas.ts';
import { readFiles, type ReadFile } from './read-files.ts';
import { askedImpact } from './asked-impact.ts';
import { runFixtures, type FixtureWorld } from './run-fixtures.ts';

export const testFilesRoute = defineRoute({
  of: 'environment',
  id: 'approvalPolicies.files.test',
  method: 'POST',
  path: '/api/v2/approval-policies/files/test',
  summary: 'Test policy files against fixture requests',
  description:
    'Evaluates each fixture against the policies in the files alone, and executes nothing. Each result says what was ' +
    'decided and by which rule, with the values that the conditions saw. A fixture names an action of this environment, or ' +
    'describes one.',
  scope: 'policies:read',
  role: 'member',
  request: { body: testBody, issuesBeside: fileIssuesBeside },
  response: { 200: testedSchema },
  ownsItsTransaction: 'It evaluates in turns after its reads, and holds no connection meanwhile.',
  audited: 'none: it changes nothing',
  exempt: { heldCredential: 'It writes nothing that a revoked credential could have asked for.' },
  async handler({ body, caller, deps }) {
    const files = await readFiles(body.files, caller);
    const { context, actions } = await deps.db.withEnvironment(caller.tenant, async (tx) => ({
      context: await readEvaluationContext(tx, null),
      actions: await findActions(tx, body.fixtures),
    }));
    const set = await policyTurns.run(caller.tenant.environmentId, setInSteps(files));
    const { workspaceId } = caller.tenant;
    const impactOf: FixtureWorld['impactOf'] = (action, input) => askedImpact(deps.schemas, workspaceId, action, input);
    const results = await runFixtures({ set, context, actions, impactOf }, body.fixtures);
    const passedCount = results.filter(({ passed }) => passed).length;
    const failedCount = results.length - passedCount;
    return { status: 200, data: { passed: failedCount === 0, passedCount, failedCount, results } };
  },
});

/** A file's name serves as the policy's id: the policy may not exist yet. */
function setInSteps(files: readonly ReadFile[]): InSteps<PolicySet> {
  return policySetInSteps(
    files.map(({ document }) => ({
      id: document.name,
      name: document.name,
      priority: document.priority,
      version: 0,
      document,
    })),
  );
}

async function findActions(
  tx: EnvironmentTransaction,
  fixtures: readonly Fixture[],
): Promise<Map<string, ActionRecord>> {
  const refs = new Set(fixtures.flatMap(({ request: { action } }) => (typeof action === 'string' ? [action] : [])));
  const found = new Map<string, ActionRecord>();
  for (const ref of refs) {
    const action = await getAction(tx, ref);
    if (action !== null && action.archivedAt === null) found.set(ref, action);
  }
  return found;
}
