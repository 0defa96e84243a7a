import type { Connection } from '@temporalio/client';
import { ALREADY_EXISTS, hasGrpcCode, NOT_FOUND } from '../temporal/grpc-error.ts';
import { untilItAnswers } from './until-it-answers.ts';

/** A week: longer than any pause between two reads of an unknown outcome, and what the doctor asks of a namespace. */
const RETENTION_DAYS = 7;
const DAY_SECONDS = 86_400;

type NamespaceConnection = Pick<Connection, 'workflowService'>;

/**
 * Makes the namespace where the server has none of this name, and waits until the server takes requests for it. Returns whether it made
 * it. One that is there stays as it is. Safe to run again, also at once.
 */
export async function ensureNamespace({ workflowService }: NamespaceConnection, namespace: string): Promise<boolean> {
  const isThere = await workflowService.describeNamespace({ namespace }).then(
    () => true,
    (error: unknown) => {
      if (hasGrpcCode(error, NOT_FOUND)) return false;
      throw error;
    },
  );
  if (isThere) return false;
  const seconds = (RETENTION_DAYS * DAY_SECONDS) as never; // typed as a Long, which protobufjs takes as a number too
  await workflowService
    .registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds } })
    .catch((error: unknown) => {
      if (!hasGrpcCode(error, ALREADY_EXISTS)) throw error;
    });
  // Each frontend reads the list of namespaces at intervals, and answers "not found" until then.
  await untilItAnswers(() => workflowService.countWorkflowExecutions({ namespace, query: '' }));
  return true;
}
