import type { PolicyDefaults, PolicyFacts } from '../../domain/approval-policies/verdict.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface EvaluationContext {
  environment: PolicyFacts['environment'] & { approvalDefault: PolicyDefaults['approvalDefault'] };
  /** Null where no key was asked for, or the environment has no such key. */
  keyName: string | null;
}

/** The transaction's environment as policies see it, with the name of one of its keys. */
export async function readEvaluationContext(
  tx: EnvironmentTransaction,
  keyId: string | null,
): Promise<EvaluationContext> {
  const { rows } = await tx.raw<{ rows: (EvaluationContext['environment'] & { keyName: string | null })[] }>(
    `SELECT e.id, e.name, e.kind, e.approval_default AS "approvalDefault", k.name AS "keyName"
     FROM environments e LEFT JOIN api_keys k ON k.environment_id = e.id AND k.id = CAST(? AS text)
     WHERE e.id = current_environment_id()`,
    [keyId],
  );
  const row = rows[0];
  if (row === undefined) throw new Error('the transaction names an environment that is not there');
  const { keyName, ...environment } = row;
  return { environment, keyName };
}
