import { digestOf } from '../../domain/canonical-json.ts';
import { ServiceError, type Issue } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { TenantSchemas } from './tenant-schemas.ts';

/** If the action's schema changes faster than it compiles, the caller must retry. */
const ATTEMPTS_MAX = 3;

/** Ends a transaction that comes upon a validation which is not cheap. */
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

/** What the action's schema says of an input. */
export interface InputAnswers {
  /** @throws {InputNotValidated} which `withInputAnswers` catches, outside of the transaction. */
  issuesOf(schema: JsonObject, input: JsonObject): Issue[];
}

/**
 * Runs a transaction that validates an input. If the validation is not cheap, the transaction is rolled back and run again with
 * the answer, so that neither its connection nor its locks wait for a thread. It reads the schema again, so that an answer is used
 * only for the schema and input that it was given for.
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

/** The input is mostly the object of the request; a preview that is refreshed reads its own from the database again. */
function isOf(answer: Answer, schema: JsonObject, input: JsonObject): boolean {
  const isSameInput = answer.input === input || digestOf(answer.input) === digestOf(input);
  return isSameInput && digestOf(answer.schema) === digestOf(schema);
}
