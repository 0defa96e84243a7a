import { z } from 'zod';
import type { PasskeyRecord } from '../../db/passkeys/passkeys.ts';
import { RECOVERY_CODES } from '../../db/passkeys/recovery-codes.ts';
import { anyJson } from '../http/common-fields.ts';

const NAME_CHARACTERS_MAX = 100;
const ENCODED_CHARACTERS_MAX = 65_536;

/** Why a suite that signs in a user of its own leaves a route out. */
export const OF_ITS_PERSON = 'Its request is of the very user whose passkey it is, and the suite signs in another one.';

export const passkeyParams = z.strictObject({ id: z.string().min(1).max(100) });

export const passkeyName = z.string().trim().min(1).max(NAME_CHARACTERS_MAX).describe('Such as "Work phone".');

export const passkeySchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    isSynced: z.boolean().describe('Its authenticator keeps copies, such as in the account of a phone.'),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Passkey' });

export function presentPasskey(passkey: PasskeyRecord): z.input<typeof passkeySchema> {
  const { id, name, isSynced, createdAt, lastUsedAt } = passkey;
  return { id, name, isSynced, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null };
}

const encoded = z.string().min(1).max(ENCODED_CHARACTERS_MAX);

/** Browsers add members with time, so others than these pass. */
export const credentialField = z
  .looseObject({
    id: encoded,
    rawId: encoded,
    type: z.literal('public-key'),
    response: z.looseObject({ clientDataJSON: encoded }),
    clientExtensionResults: z.record(z.string(), anyJson).default({}),
  })
  .describe('The JSON of the `PublicKeyCredential` (`toJSON()`), with its bytes as base64url.')
  .meta({ id: 'PublicKeyCredential' });

export type PresentedCredential = z.output<typeof credentialField>;

export const optionsSchema = z
  .strictObject({
    publicKey: z
      .record(z.string(), anyJson)
      .describe(
        'The `publicKey` options of WebAuthn in JSON: `parseCreationOptionsFromJSON()` and `parseRequestOptionsFromJSON()` read them. Their challenge is answered once, by this session, within five minutes.',
      ),
  })
  .meta({ id: 'PasskeyOptions' });

export const recoveryCodesField = z
  .array(z.string())
  .describe(`${RECOVERY_CODES} codes, shown this once. Each signs in once in place of a passkey.`);

export const recoveryCodeField = z
  .string()
  .min(1)
  .max(100)
  .describe('Case, hyphens and spaces make no difference.')
  .meta({ writeOnly: true });
