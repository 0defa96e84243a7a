import type { AnyRoute } from '../http/define-route.ts';
import { acceptInvitationRoute } from './accept-invitation.ts';
import { deleteConnectedAppRoute, listConnectedAppsRoute } from './connected-apps.ts';
import { changePasswordRoute } from './change-password.ts';
import { getIdentity } from './get-identity.ts';
import { getSessionRoute, signOutRoute } from './session.ts';
import { signInRoute } from './sign-in.ts';

export const authRoutes: AnyRoute[] = [
  getIdentity,
  signInRoute,
  getSessionRoute,
  signOutRoute,
  changePasswordRoute,
  acceptInvitationRoute,
  listConnectedAppsRoute,
  deleteConnectedAppRoute,
];
