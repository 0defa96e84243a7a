import { z } from 'zod';
import type { ActionDefinition } from '../actions.ts';
import type { Issue } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { compileSchema } from '../json-schema/json-schema.ts';
import type { Refusal } from '../refusals.ts';
import { plainMessages } from '../json-schema/schema-messages.ts';
import { SECRET_NAME_PATTERN } from './templates.ts';
import type { Preparation, PreparationInput, PreparedRequest } from './adapter-descriptor.ts';
import { issuesOfZod } from './http-request-rules.ts';

/** What the adapters of one provider's operation share: a fixed config, an input of a fixed shape, one credential. */

export const secretNameSchema = z.string().regex(SECRET_NAME_PATTERN, 'is not the name of a secret');

/** Checks a config and fills in its defaults: what an action version records. */
export function parseConfigWith(
  schema: z.ZodType<object>,
  config: unknown,
): { ok: true; config: JsonObject } | { ok: false; issues: Issue[] } {
  const parsed = schema.safeParse(config, { error: plainMessages });
  if (!parsed.success) return { ok: false, issues: issuesOfZod(parsed.error) };
  const members = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
  return { ok: true, config: Object.fromEntries(members) };
}

/** The config of a stored version. It was checked when it was written, so a fault is ours. */
export function storedConfig<Schema extends z.ZodType<object>>(
  schema: Schema,
  definition: ActionDefinition,
): z.output<Schema> {
  const parsed = schema.safeParse(definition.adapter.config);
  if (parsed.success) return parsed.data;
  throw new Error(`a stored config of ${definition.adapter.type} does not parse: ${z.prettifyError(parsed.error)}`);
}

/** The issues of an input that the adapter's own schema refuses, whatever schema the action has. */
export function inputIssues(schema: JsonObject, input: JsonObject): Issue[] {
  return compileSchema(schema).validate(input);
}

/** An adapter that knows how to read its provider's record takes no read-back from the action. */
export function issuesOfVerify(definition: ActionDefinition): Issue[] {
  if (definition.verify === null) return [];
  return [{ path: 'verify', message: `is for http.request; ${definition.adapter.type} reads back by itself` }];
}

/** The characters that a header may hold after `Bearer `. */
const TOKEN = /^[\x21-\x7e]+$/;

export interface BearerRequest {
  secretName: string;
  /** Values by name, inside the dispatch only. */
  secrets: PreparationInput['secrets'];
  target: JsonObject;
  build(authorization: string): PreparedRequest;
  /** What the service refuses to send, whatever the credential. */
  refusal?: Refusal | null;
  /** What it refuses once it sees the credential. */
  checkToken?(token: string): Refusal | null;
}

/** The request with its credential, or with the placeholder where no secrets are given. A refusal carries the form with the placeholder. */
export function withBearer({ secretName, secrets, target, build, refusal, checkToken }: BearerRequest): Preparation {
  const shown = build(`Bearer {{secret:${secretName}}}`);
  const refused = (why: Refusal): Preparation => ({ kind: 'refused', refusal: why, request: shown, target });
  if (refusal) return refused(refusal);
  const ready = (request: PreparedRequest): Preparation => ({
    kind: 'ready',
    request,
    target,
    secretNames: [secretName],
  });
  if (secrets === undefined) return ready(shown);
  const token = secrets.get(secretName);
  if (token === undefined) {
    const message = `no value in this environment for: ${secretName}`;
    return refused({ code: 'secret_missing', message, details: { secrets: [secretName] } });
  }
  if (!TOKEN.test(token)) {
    return {
      kind: 'invalid',
      issues: [{ path: 'adapter.config.secret', message: 'is no token that a header can carry' }],
    };
  }
  const unfit = checkToken?.(token) ?? null;
  return unfit ? refused(unfit) : ready(build(`Bearer ${token}`));
}
