import { z } from 'zod';
import { recordAudit } from '../../db/audit/record-audit.ts';
import type { UserTransaction, WorkspaceTransaction } from '../../db/client.ts';
import { addMember } from '../../db/members/members.ts';
import { consumeInvitation, findInvitation, type OpenInvitation } from '../../db/members/invitations.ts';
import { createUser, findUserByEmail, holdPassword, newUserId } from '../../db/users/users.ts';
import { ServiceError, validationError, type Issue } from '../../domain/errors.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { defineRoute } from '../http/define-route.ts';
import { checkPassword, hashNewPassword } from './check-password.ts';
import { PASSWORD_CHARACTERS_MIN, personName, presentedPassword, roleField, userSchema } from './schemas.ts';

const TOKEN_CHARACTERS_MAX = 200;

const acceptBody = z.strictObject({
  token: z.string().min(1).max(TOKEN_CHARACTERS_MAX).meta({ writeOnly: true }),
  password: presentedPassword
    .optional()
    .describe(
      'The password that the e-mail address signs in with, or for a new user the one it shall have (12 characters).',
    ),
  name: personName.optional().describe('The name of a new user.'),
});

type AcceptBody = z.output<typeof acceptBody>;

interface Person {
  id: string;
  email: string;
  name: string;
  /** Creates the user, or verifies that the checked password is still theirs. */
  prepare(tx: UserTransaction): Promise<void>;
}

export const acceptInvitationRoute = defineRoute({
  of: 'public',
  id: 'auth.invitations.accept',
  method: 'POST',
  path: '/api/v2/auth/invitations/accept',
  summary: 'Accept an invitation into a workspace',
  description:
    'The token works once. If the e-mail address has an account, send its `password`. If it has none, `password` and `name` ' +
    'create it. This signs nobody in: sign in afterwards.',
  request: { body: acceptBody },
  response: {
    200: z.strictObject({ user: userSchema, workspace: z.strictObject({ id: z.uuid(), role: roleField }) }),
  },
  errors: ['NOT_FOUND', 'AUTHENTICATION_ERROR', 'AUTHORIZATION_ERROR', 'CONFLICT'],
  ownsItsTransaction: 'The token is the credential, and who accepts may be a new user: the transaction is of both.',
  audited: 'recorded',
  async handler({ body, browser, requestId, deps }) {
    const invitation = await findInvitation(deps.db, body.token);
    if (invitation === null) throw notOpen();
    const { workspaceId, role } = invitation;
    const { prepare, ...user } = await personOf(deps, invitation, body, { address: browser.address, requestId });
    await deps.db.withMember({ userId: user.id, workspaceId }, async (tx) => {
      await join(tx, invitation, { ...user, prepare });
      const target = { type: 'user', id: user.id };
      const actor = { type: 'user' as const, id: user.id };
      await recordAudit(tx, { workspaceId, actor, action: 'member.joined', target, details: { role }, requestId });
    });
    return { status: 200, data: { user, workspace: { id: workspaceId, role } } };
  },
});

async function join(
  tx: UserTransaction & WorkspaceTransaction,
  invitation: OpenInvitation,
  person: Person,
): Promise<void> {
  if (!(await consumeInvitation(tx, invitation.id))) throw notOpen();
  await person.prepare(tx);
  if (await addMember(tx, person.id, invitation.role)) return;
  throw new ServiceError('CONFLICT', { message: 'This user is a member of the workspace already.' });
}

async function personOf(
  deps: ApiDependencies,
  { email }: OpenInvitation,
  body: AcceptBody,
  from: { address: string; requestId: string },
): Promise<Person> {
  const known = await findUserByEmail(deps.db, email);
  if (known === null) return newPerson(email, body);
  if (body.password === undefined) {
    throw validationError([{ path: 'body.password', message: 'is needed: this e-mail address has an account' }]);
  }
  const user = await checkPassword(deps, { email, password: body.password, ...from });
  if (user === null) throw wrongPassword();
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    prepare: async (tx) => {
      if (!(await holdPassword(tx, user))) throw wrongPassword();
    },
  };
}

async function newPerson(email: string, { password, name }: AcceptBody): Promise<Person> {
  const issues: Issue[] = [];
  if (name === undefined) issues.push({ path: 'body.name', message: 'is needed for a new account' });
  if (password === undefined || password.length < PASSWORD_CHARACTERS_MIN) {
    const message = `must have at least ${PASSWORD_CHARACTERS_MIN} characters for a new account`;
    issues.push({ path: 'body.password', message });
  }
  if (name === undefined || password === undefined || issues.length > 0) throw validationError(issues);
  const passwordHash = await hashNewPassword(password);
  return {
    id: newUserId(),
    email,
    name,
    prepare: async (tx) => {
      if (await createUser(tx, { email, name, passwordHash })) return;
      throw new ServiceError('CONFLICT', {
        message: 'This e-mail address has an account since just now. Send its password.',
      });
    },
  };
}

function wrongPassword(): ServiceError {
  return new ServiceError('AUTHENTICATION_ERROR', { message: 'The password of this account is wrong.' });
}

function notOpen(): ServiceError {
  return new ServiceError('NOT_FOUND', {
    message: 'No such invitation: it was used or taken back, or has expired. Ask for another.',
  });
}
