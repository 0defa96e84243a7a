import { ATTRIBUTES } from '../domain/tracing/attributes.ts';
import type { Tracing } from '../domain/tracing/tracing.ts';
import type { TransactionOptions } from './scope.ts';

const SYSTEM = { [ATTRIBUTES.database]: 'postgresql' };

/**
 * Runs a transaction of traced work within a span, which has the name of its first statement. No text of a statement and no value is
 * part of it. `transact` is handed what the transaction is told of its trace.
 */
export function inTransactionSpan<T>(
  tracing: Tracing,
  transact: (traced: Pick<TransactionOptions, 'traceContext' | 'onStatement'>) => Promise<T>,
): Promise<T> {
  const traceContext = tracing.context();
  if (traceContext === null) return transact({});
  return tracing.span({ name: 'transaction', kind: 'client', attributes: SYSTEM }, (span) => {
    let isNamed = false;
    const onStatement: TransactionOptions['onStatement'] = (named) => {
      const name = typeof named === 'string' ? named : named?.variantsOf;
      if (isNamed || name === undefined) return;
      isNamed = true;
      span.rename(name);
      span.set({ [ATTRIBUTES.operation]: name });
    };
    return transact({ traceContext, onStatement });
  });
}
