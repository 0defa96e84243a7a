import { z } from 'zod';
import type { InvitationRecord } from '../../db/members/invitations.ts';
import type { MemberRecord } from '../../db/members/members.ts';
import { idPattern } from '../../domain/ids.ts';
import { emailField, roleField } from '../auth/schemas.ts';

export const workspaceParams = z.strictObject({ workspaceId: z.uuid() });
export const memberParams = z.strictObject({
  workspaceId: z.uuid(),
  userId: z.string().regex(idPattern('user'), 'must be an id of the form usr_…'),
});
export const inviteBody = z.strictObject({ email: emailField, role: roleField.default('member') });
export const changeRoleBody = z.strictObject({ role: roleField });

export const memberSchema = z
  .strictObject({
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    role: roleField,
    joinedAt: z.iso.datetime(),
  })
  .meta({ id: 'Member' });

export const invitationSchema = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    role: roleField,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    token: z
      .string()
      .describe('For POST /api/v2/auth/invitations/accept. Shown this once: hand it to the invited person.'),
  })
  .meta({ id: 'Invitation' });

export function presentMember(member: MemberRecord): z.input<typeof memberSchema> {
  const { userId, email, name, role, joinedAt } = member;
  return { userId, email, name, role, joinedAt: joinedAt.toISOString() };
}

export function presentInvitation(record: InvitationRecord, token: string): z.input<typeof invitationSchema> {
  const { id, email, role, createdAt, expiresAt } = record;
  return { id, email, role, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString(), token };
}
