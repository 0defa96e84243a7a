import type { Issue } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { planImport, type ImportOptions, type PlannedOperation } from '../../../domain/openapi-import/plan-import.ts';

export type Imported = Extract<PlannedOperation, { kind: 'action' }>;

const ALL: ImportOptions = {
  operations: null,
  ungoverned: [],
  namePrefix: '',
  secret: null,
  baseUrl: null,
  isAllowedName: (name) => name !== 'import',
};

/** A description with one operation, `POST /things` unless `paths` says otherwise. */
export function describing(operation: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    servers: [{ url: 'https://api.example.com/v1' }],
    paths: { '/things': { post: { operationId: 'things.create', responses: {}, ...operation } } },
    ...more,
  };
}

export function planned(source: unknown, options: Partial<ImportOptions> = {}): PlannedOperation[] {
  const plan = planImport(source, 'body.document', { ...ALL, ...options });
  if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
  return [...plan.operations];
}

/** The one operation of a description as an action. */
export function action(source: unknown, options: Partial<ImportOptions> = {}): Imported {
  const [first] = planned(source, options);
  if (first?.kind !== 'action') throw new Error(JSON.stringify(first));
  return first;
}

export function skipped(source: unknown, options: Partial<ImportOptions> = {}): string {
  const [first] = planned(source, options);
  if (first?.kind !== 'skipped') throw new Error(JSON.stringify(first));
  return first.reason;
}

export function refused(source: unknown, options: Partial<ImportOptions> = {}): Issue[] {
  const plan = planImport(source, 'body.document', { ...ALL, ...options });
  if (plan.ok) throw new Error('it was planned');
  return plan.issues;
}

/** The schema that a body of this schema becomes. */
export function bodySchema(schema: JsonObject, more: JsonObject = {}): JsonObject {
  const { inputSchema } = action(
    describing({ requestBody: { required: true, content: { 'application/json': { schema } } } }, more),
  );
  return (inputSchema['properties'] as JsonObject)['body'] as JsonObject;
}

/** The linter takes an object with a literal `then` for a promise. */
export function conditional(...parts: JsonObject[]): JsonObject {
  return Object.fromEntries(parts.map((part, index) => [['if', 'then', 'else'][index] ?? '', part]));
}
