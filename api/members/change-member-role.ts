import { changeRole, lockMember } from '../../db/members/members.ts';
import { existing } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { lastOwner, requireOwnerFor } from './access.ts';
import { changeRoleBody, memberParams, memberSchema, presentMember } from './schemas.ts';

export const changeMemberRoleRoute = defineRoute({
  of: 'workspace',
  id: 'members.update',
  method: 'PATCH',
  path: '/api/v2/workspaces/{workspaceId}/members/{userId}',
  summary: "Change a member's role",
  description:
    "Applies from the member's next request on. Only an owner can make or change an owner. The last owner cannot be changed " +
    '(409).',
  role: 'admin',
  request: { params: memberParams, body: changeRoleBody },
  response: { 200: memberSchema },
  errors: ['CONFLICT'],
  async change(tx, { params: { userId }, body: { role }, caller }) {
    const locked = existing(await lockMember(tx, userId), 'member');
    const { member, isLastOwner } = locked;
    requireOwnerFor(caller, role, member.role);
    if (member.role === role) {
      return { reply: { status: 200, data: presentMember(member) }, audit: 'none: the member had this role already' };
    }
    if (isLastOwner) throw lastOwner();
    await changeRole(tx, userId, role);
    return {
      reply: { status: 200, data: presentMember({ ...member, role }) },
      audit: {
        action: 'member.role_changed',
        target: { type: 'user', id: userId },
        details: { from: member.role, to: role },
      },
    };
  },
});
