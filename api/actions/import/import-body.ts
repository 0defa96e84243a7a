import { z } from 'zod';
import { DOCUMENT_BYTES_MAX, OPERATIONS_MAX, PATH_CHARACTERS_MAX } from '../../../domain/openapi-import/limits.ts';
import { warningSchema } from '../warnings.ts';
import { SECRET_NAME_PATTERN } from '../../../domain/adapters/templates.ts';

/** The document as an escaped JSON string, with the members around it. */
export const IMPORT_BODY_BYTES_MAX = DOCUMENT_BYTES_MAX * 1.25;
const URL_CHARACTERS_MAX = 2_048;
const NAME_PREFIX_PATTERN = /^[a-z][a-z0-9_.-]{0,31}$/;

/** An operation without an id is named by its method and path. */
const operationIds = z
  .array(
    z
      .string()
      .min(1)
      .max(PATH_CHARACTERS_MAX + 50),
  )
  .min(1)
  .max(OPERATIONS_MAX);

export const importActionsBody = z
  .strictObject({
    document: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .describe('An OpenAPI 3.0, 3.1 or 3.2 description: an object, or a text of JSON or YAML. At most 16 MiB.'),
    url: z
      .url({ protocol: /^https?$/ })
      .max(URL_CHARACTERS_MAX)
      .refine((text) => !carriesCredentials(text), 'must not carry credentials')
      .describe('Where the description is, in place of `document`: https, no redirects, at most 16 MiB.'),
    operations: operationIds.describe(
      'Only these operationIds; an operation without one is `GET /path`. Left out: all.',
    ),
    ungoverned: operationIds.describe(
      'The operationIds of writing operations whose actions are left ungoverned; needs `actions:govern`. Left out: every operation ' +
        'but GET and HEAD becomes `governed: true`.',
    ),
    namePrefix: z
      .string()
      .regex(NAME_PREFIX_PATTERN, 'must be a lower-case letter, then at most 31 of a-z, 0-9, "_", "." or "-"')
      .describe('A prefix of each name, for example `stripe.`.'),
    secret: z
      .string()
      .regex(SECRET_NAME_PATTERN, 'is not the name of a secret')
      .describe('Vault secret with the credential; left out, a name is derived from the host and the security scheme.'),
    dryRun: z.boolean().describe('Says what the import would do now, with every check, and keeps nothing.'),
  })
  .partial()
  .refine(({ document, url }) => (document === undefined) !== (url === undefined), {
    message: 'must hold either document or url',
  })
  .meta({ id: 'ImportActions' });

function carriesCredentials(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username !== '' || password !== '';
}

export const importedOperationSchema = z
  .strictObject({
    operationId: z.string(),
    name: z.string().describe('The name of the action that it is, or would be.'),
    status: z.enum(['created', 'updated', 'unchanged', 'skipped']),
    governed: z
      .boolean()
      .optional()
      .describe('Whether the action is governed now. Left out where the operation was skipped.'),
    warnings: z.array(warningSchema).optional().describe('Where an action was created or updated.'),
    reason: z.string().optional().describe('Why it was skipped, or what was left out of the action.'),
  })
  .meta({ id: 'ImportedOperation' });

export type ImportedOperation = z.input<typeof importedOperationSchema>;
