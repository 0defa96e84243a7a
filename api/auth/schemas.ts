import { z } from 'zod';
import type { WorkspaceOfUser } from '../../db/users/users.ts';
import { isHalf, type SessionAuthentication } from '../../domain/passkeys/authentication.ts';
import { ROLES } from '../../domain/roles.ts';

export const EMAIL_CHARACTERS_MAX = 254;
export const NAME_CHARACTERS_MAX = 100;
export const PASSWORD_CHARACTERS_MIN = 12;
/** Bounds the work of the hash. */
export const PASSWORD_CHARACTERS_MAX = 256;

export const emailField = z.email().max(EMAIL_CHARACTERS_MAX).describe('Case makes no difference.');
export const roleField = z.enum(ROLES);
export const personName = z.string().trim().min(1).max(NAME_CHARACTERS_MAX);

/** Only a new password has a minimum length. */
export const presentedPassword = z.string().min(1).max(PASSWORD_CHARACTERS_MAX).meta({ writeOnly: true });
export const newPassword = z
  .string()
  .min(PASSWORD_CHARACTERS_MIN)
  .max(PASSWORD_CHARACTERS_MAX)
  .describe('At least 12 characters, whichever they are.')
  .meta({ writeOnly: true });

export const userSchema = z
  .strictObject({ id: z.string(), email: z.string(), name: z.string() })
  .meta({ id: 'User', description: 'A person who signs in.' });

const workspaceOfUserSchema = z.strictObject({ id: z.uuid(), name: z.string(), role: roleField });

export const sessionSchema = z
  .strictObject({
    user: userSchema,
    workspaces: z.array(workspaceOfUserSchema),
    csrfToken: z
      .string()
      .describe('Send it as `X-CSRF-Token` with every request of this session that changes something.'),
    authentication: z
      .strictObject({ method: z.enum(['password', 'passkey', 'recovery_code']), at: z.iso.datetime() })
      .describe('How and when the person was authenticated last.'),
    awaitsSecondFactor: z
      .boolean()
      .describe(
        'The sign-in is not finished: the user has a passkey. Until they confirm with it, or with a recovery code, this session does nothing else, and `workspaces` is empty.',
      ),
    expiresAt: z.iso.datetime().describe('The session ends then at the latest, and after an hour without a request.'),
  })
  .meta({ id: 'SignInSession' });

export interface PresentableSession {
  user: { id: string; email: string; name: string };
  workspaces: readonly WorkspaceOfUser[];
  csrfToken: string;
  authentication: SessionAuthentication;
  expiresAt: Date;
}

/** How the person of a session is authenticated that has just begun. */
export function byPassword({ startedAt }: { startedAt: Date }, hasPasskey: boolean): SessionAuthentication {
  return { method: 'password', at: startedAt, passwordAt: startedAt, hasPasskey };
}

export function presentSession({
  user,
  workspaces,
  csrfToken,
  authentication,
  expiresAt,
}: PresentableSession): z.input<typeof sessionSchema> {
  const { id, email, name } = user;
  const awaitsSecondFactor = isHalf(authentication);
  return {
    user: { id, email, name },
    workspaces: awaitsSecondFactor ? [] : [...workspaces],
    csrfToken,
    authentication: { method: authentication.method, at: authentication.at.toISOString() },
    awaitsSecondFactor,
    expiresAt: expiresAt.toISOString(),
  };
}
