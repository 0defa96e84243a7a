import type { AnyRoute } from '../http/define-route.ts';
import { confirmPasswordRoute, useRecoveryCodeRoute } from './confirm-otherwise.ts';
import { confirmWithPasskeyRoute, passkeyChallengeRoute } from './confirm-with-passkey.ts';
import { enrolOptionsRoute, enrolPasskeyRoute } from './enrol-passkey.ts';
import { passkeySignInOptionsRoute, signInWithPasskeyRoute } from './sign-in-with-passkey.ts';
import {
  getRecoveryCodesRoute,
  listPasskeysRoute,
  makeRecoveryCodesRoute,
  removePasskeyRoute,
  renamePasskeyRoute,
} from './manage-passkeys.ts';

export const passkeyRoutes: AnyRoute[] = [
  passkeySignInOptionsRoute,
  signInWithPasskeyRoute,
  listPasskeysRoute,
  enrolOptionsRoute,
  enrolPasskeyRoute,
  renamePasskeyRoute,
  removePasskeyRoute,
  getRecoveryCodesRoute,
  makeRecoveryCodesRoute,
  passkeyChallengeRoute,
  confirmWithPasskeyRoute,
  useRecoveryCodeRoute,
  confirmPasswordRoute,
];
