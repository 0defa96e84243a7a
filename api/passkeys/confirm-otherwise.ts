import { z } from 'zod';
import { confirmPassword, raiseSession } from '../../db/auth/sessions.ts';
import { useRecoveryCode } from '../../db/passkeys/recovery-codes.ts';
import { holdPassword } from '../../db/users/users.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isHalf } from '../../domain/passkeys/authentication.ts';
import { checkPassword } from '../auth/check-password.ts';
import { presentedPassword, sessionSchema } from '../auth/schemas.ts';
import { defineRoute } from '../http/define-route.ts';
import { admitSecondFactor, confirmed, refused, sessionNow, settleSecondFactor } from './attempts.ts';
import { OF_ITS_PERSON, recoveryCodeField } from './schemas.ts';

export const useRecoveryCodeRoute = defineRoute({
  of: 'user',
  id: 'auth.session.recovery-code',
  method: 'POST',
  path: '/api/v2/auth/session/recovery-code',
  summary: 'Finish a sign-in with a recovery code',
  description:
    'For who has lost the passkey. A code works once. It finishes a sign-in (`awaitsSecondFactor`) and confirms nothing else: enrol a ' +
    'new passkey next. Attempts are throttled as sign-ins are.',
  exempt: { heldCredential: OF_ITS_PERSON },
  finishesSignIn: true,
  request: { body: z.strictObject({ code: recoveryCodeField }) },
  response: { 200: sessionSchema },
  errors: ['CONFLICT'],
  ownsItsTransaction: 'The throttle counts an attempt before the code is looked at, and a refusal is recorded.',
  audited: 'recorded',
  async handler(context) {
    const { body, caller, transaction, recordAudit } = context;
    if (!isHalf(caller.authentication)) {
      throw new ServiceError('CONFLICT', { message: 'This sign-in is finished. Confirm with your passkey instead.' });
    }
    await admitSecondFactor(context);
    const data = await transaction(async (tx) => {
      if (!(await useRecoveryCode(tx, body.code))) return null;
      await raiseSession(tx, caller.sessionId, 'recovery_code');
      const session = await sessionNow(tx, caller, { method: 'recovery_code', at: new Date() });
      await recordAudit(tx, confirmed(context, 'recovery_code'));
      return session;
    });
    if (data === null) {
      const message = 'This recovery code is wrong, or was used before.';
      throw await refused(context, { action: 'recovery_code.refused', reason: 'no unused code is this one', message });
    }
    await settleSecondFactor(context);
    return { status: 200, data };
  },
});

export const confirmPasswordRoute = defineRoute({
  of: 'user',
  id: 'auth.session.password',
  method: 'POST',
  path: '/api/v2/auth/session/password',
  summary: 'Confirm with the password',
  description:
    'Gives the password once more, which the enrolment of the first passkey asks for after five minutes. It stands for no passkey. ' +
    'A wrong one counts as a failed sign-in.',
  request: { body: z.strictObject({ password: presentedPassword }) },
  response: { 200: sessionSchema },
  ownsItsTransaction: 'The throttle counts an attempt in a transaction of its own, before the password is looked at.',
  audited: 'recorded',
  async handler(context) {
    const { body, caller, browser, requestId, deps, transaction, recordAudit } = context;
    const attempt = { email: caller.email, password: body.password, address: browser.address, requestId };
    const user = await checkPassword(deps, attempt);
    const data = await transaction(async (tx) => {
      if (user === null || !(await holdPassword(tx, user))) return null;
      await confirmPassword(tx, caller.sessionId);
      const passwordAt = new Date();
      const isOnly = caller.authentication.method === 'password';
      const session = await sessionNow(tx, caller, { passwordAt, ...(isOnly ? { at: passwordAt } : {}) });
      await recordAudit(tx, confirmed(context, 'password'));
      return session;
    });
    if (data === null) throw new ServiceError('AUTHORIZATION_ERROR', { message: 'The password is wrong.' });
    return { status: 200, data };
  },
});
