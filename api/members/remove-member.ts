import { z } from 'zod';
import { lockMember, removeMember } from '../../db/members/members.ts';
import { existing } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { requireRole } from '../http/rights.ts';
import { lastOwner, requireOwnerFor } from './access.ts';
import { memberParams } from './schemas.ts';

export const removeMemberRoute = defineRoute({
  of: 'workspace',
  id: 'members.remove',
  method: 'DELETE',
  path: '/api/v2/workspaces/{workspaceId}/members/{userId}',
  summary: 'Remove a member, or leave',
  description:
    "Ends the member's sessions and withdraws the invitations that they made. API keys that they created keep working, but " +
    'decide no approval any more. Admins can remove members, owners can remove owners too, and everybody can leave, except ' +
    'the last owner (409).',
  role: 'member',
  request: { params: memberParams },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  errors: ['CONFLICT'],
  exempt: { roles: 'A member may leave; its request removes somebody else, for which it takes an admin.' },
  async change(tx, { params: { userId }, caller }) {
    if (userId !== caller.userId) requireRole(caller.role, 'admin');
    const locked = existing(await lockMember(tx, userId), 'member');
    const { member, isLastOwner } = locked;
    requireOwnerFor(caller, member.role);
    if (isLastOwner) throw lastOwner();
    await removeMember(tx, userId);
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: { action: 'member.removed', target: { type: 'user', id: userId }, details: { role: member.role } },
    };
  },
});
