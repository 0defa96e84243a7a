import { z } from 'zod';
import type { SecretRecord } from '../../db/secrets/secrets.ts';
import { SECRET_NAME_PATTERN } from '../../domain/adapters/templates.ts';

export const SECRET_VALUE_BYTES_MAX = 64 * 1024;
export const SECRET_DESCRIPTION_CHARACTERS_MAX = 2_000;

export const secretParams = z.strictObject({
  name: z
    .string()
    .regex(SECRET_NAME_PATTERN, 'must be a letter, then at most 63 letters, digits, "_", "." or "-"')
    .describe('Name of the secret, as `{{secret:NAME}}` refers to it.'),
});

export const putSecretBody = z.strictObject({
  value: z
    .string()
    .min(1, 'must not be empty')
    .refine((value) => Buffer.byteLength(value, 'utf8') <= SECRET_VALUE_BYTES_MAX, 'must be at most 65536 bytes')
    .describe('The credential, 1 byte to 64 KiB of UTF-8. Write-only: no reply ever holds it.')
    .meta({ writeOnly: true, maxLength: SECRET_VALUE_BYTES_MAX }),
  description: z
    .string()
    .max(SECRET_DESCRIPTION_CHARACTERS_MAX)
    .nullable()
    .optional()
    .describe(
      'What it is for. Left out, a rotation keeps the present one; null removes it. Never put a credential here.',
    ),
});

export const secretSchema = z
  .strictObject({
    id: z.string().meta({ examples: ['sec_01h2x5Zk3vQ9mT7cR4bW8y'] }),
    name: z.string(),
    version: z.int().min(1).describe('That of the value in use. Counts up with every rotation, over a delete too.'),
    description: z.string().nullable(),
    createdAt: z.iso.datetime(),
    rotatedAt: z.iso.datetime().nullable().describe('When the present value replaced an earlier one; null before.'),
  })
  .meta({ id: 'Secret', description: 'What can be read of a secret: everything but its value.' });

export function presentSecret(secret: SecretRecord): z.input<typeof secretSchema> {
  return {
    id: secret.id,
    name: secret.name,
    version: secret.version,
    description: secret.description,
    createdAt: secret.createdAt.toISOString(),
    rotatedAt: secret.rotatedAt?.toISOString() ?? null,
  };
}
