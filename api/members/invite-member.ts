import { createInvitation, isMemberByEmail } from '../../db/members/invitations.ts';
import { ServiceError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { requireOwnerFor } from './access.ts';
import { invitationSchema, inviteBody, presentInvitation, workspaceParams } from './schemas.ts';

export const inviteMemberRoute = defineRoute({
  of: 'workspace',
  id: 'members.invite',
  method: 'POST',
  path: '/api/v2/workspaces/{workspaceId}/members',
  summary: 'Invite an e-mail address into a workspace',
  description:
    'The reply holds a token that works once, within 7 days. The service sends no mail: hand the token over yourself. A new ' +
    'invitation of the same address replaces the earlier one. Only an owner can invite an owner, or replace the invitation of one.',
  role: 'admin',
  request: { params: workspaceParams, body: inviteBody },
  response: { 201: invitationSchema },
  errors: ['CONFLICT'],
  headers: { 'Cache-Control': 'no-store' },
  async change(tx, { body: { email, role }, caller }) {
    requireOwnerFor(caller, role);
    if (await isMemberByEmail(tx, email)) {
      throw new ServiceError('CONFLICT', { message: 'This e-mail address is a member of the workspace already.' });
    }
    const { record, token, replaced } = await createInvitation(tx, { email, role, invitedBy: caller.userId });
    requireOwnerFor(caller, ...replaced.map((invitation) => invitation.role));
    const details = { email, role, ...(replaced.length > 0 && { replaces: replaced.map(({ id }) => id) }) };
    return {
      reply: { status: 201, data: presentInvitation(record, token) },
      audit: { action: 'member.invited', target: { type: 'invitation', id: record.id }, details },
    };
  },
});
