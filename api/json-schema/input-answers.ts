import { digestOf } from '../../domain/canonical-json.ts';
import { ServiceError, type Issue } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { TenantSchemas } from './tenant-schemas.ts';

/** If the action's schema changes faster than it compiles, the caller must retry. */
const ATTEMPTS_MAX = 3;

/** Ends a transaction that meets a costly validation. */
class InputNotValidated extends Error {
  readonly schema: JsonObject;
  readonly input: JsonObject;

  constructor(schema: JsonObject, input: JsonObject) {
    super('an input is to be validated outside of the transaction');
    this.name = 'InputNotValidated';
    this.schema = schema;
    this.input = input;
  }
}

export interface InputAnswers {
  /** @throws {InputNotValidated} caught by `withInputAnswers` outside of the transaction. */
  issuesOf(schema: JsonObject, input: JsonObject): Issue[];
}

/**
 * Runs a transaction that validates an input. A costly validation rolls it back and runs it again with the answer, so that no connection or
 * lock waits for a thread. It reads the schema again: an answer counts only for its schema and input.
 */
export async function withInputAnswers<Result>(
  schemas: TenantSchemas,
  workspaceId: string,
  transaction: (answers: InputAnswers) => Promise<Result>,
): Promise<Result> {
  const known: Answer[] = [];
  const answers: InputAnswers = {
    issuesOf(schema, input) {
      const answer = known.find((given) => isOf(given, schema, input));
      if (answer !== undefined) return answer.issues;
      if (schemas.fitsAtOnce(schema, input)) return [];
      throw new InputNotValidated(schema, input);
    },
  };
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    try {
      return await transaction(answers);
    } catch (error) {
      if (!(error instanceof InputNotValidated)) throw error;
      const { schema, input } = error;
      known.push({ schema, input, issues: await schemas.validate(workspaceId, schema, input) });
    }
  }
  throw new ServiceError('SERVICE_UNAVAILABLE', {
    message: 'The action changes too often. Send it again with the same Idempotency-Key.',
    log: 'an inputSchema changed at each attempt to validate an input',
  });
}

interface Answer {
  schema: JsonObject;
  input: JsonObject;
  issues: Issue[];
}

/** Usually the request's own object; a refreshed preview reads its input from the database again. */
function isOf(answer: Answer, schema: JsonObject, input: JsonObject): boolean {
  const isSameInput = answer.input === input || digestOf(answer.input) === digestOf(input);
  return isSameInput && digestOf(answer.schema) === digestOf(schema);
}
