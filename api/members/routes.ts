import type { AnyRoute } from '../http/define-route.ts';
import { changeMemberRoleRoute } from './change-member-role.ts';
import { inviteMemberRoute } from './invite-member.ts';
import { listMembersRoute } from './list-members.ts';
import { removeMemberRoute } from './remove-member.ts';

export const memberRoutes: AnyRoute[] = [listMembersRoute, inviteMemberRoute, changeMemberRoleRoute, removeMemberRoute];
