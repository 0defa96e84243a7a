import { readInputSchemas, readKnownNames } from '../../db/actions/queries.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import {
  documentWarnings,
  type PlacedDocument,
  type PolicyWorld,
} from '../../domain/approval-policies/document-warnings.ts';
import { policyTurns } from '../../domain/approval-policies/policy-turns.ts';
import type { GovernanceWarning } from '../../domain/governance-warnings.ts';
import type { Caller } from '../http/define-route.ts';

/**
 * Facts that documents are compared with, read before the change because the comparison must hold no connection. It misses actions created
 * meanwhile.
 */
export async function readPolicyWorld(tx: EnvironmentTransaction): Promise<PolicyWorld> {
  return { names: await readKnownNames(tx), inputSchemas: await readInputSchemas(tx) };
}

/** Yields to other requests in between. */
export function policyWarnings(
  documents: readonly PlacedDocument[],
  world: PolicyWorld,
  { tenant }: Pick<Caller, 'tenant'>,
): Promise<GovernanceWarning[]> {
  return policyTurns.run(tenant.environmentId, documentWarnings(documents, world));
}
