import type { EnvironmentTransaction } from '../../db/client.ts';
import type { Step } from '../../db/transaction.ts';

/**
 * The same transaction, which explains each statement before it runs it: `how` is what stands in the parentheses of EXPLAIN, `see` is
 * called with each plan. Steps of `inOrder` are run one after the other.
 */
export function explained(
  tx: EnvironmentTransaction,
  how: string,
  see: (plan: object, sql: string) => void,
): EnvironmentTransaction {
  const raw: EnvironmentTransaction['raw'] = async (name, sql, bindings) => {
    const { rows } = await tx.raw<{ rows: { 'QUERY PLAN': { Plan: object }[] }[] }>(
      null,
      `EXPLAIN (${how}, FORMAT JSON) ${sql}`,
      bindings,
    );
    for (const { Plan } of rows.flatMap((row) => row['QUERY PLAN'])) see(Plan, sql);
    return tx.raw(name, sql, bindings);
  };
  const oneByOne = async (...steps: readonly Step[]): Promise<unknown[]> => {
    const answers: unknown[] = [];
    for (const step of steps) answers.push((await step?.()) ?? null);
    return answers;
  };
  return { ...tx, raw, inOrder: oneByOne as EnvironmentTransaction['inOrder'] };
}
