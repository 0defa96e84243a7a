import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../harness/software-authenticator.ts';

/** The authenticator of our tests is one that the library accepts, and refuses where it should. */
const rpId = 'localhost';
const origin = 'http://localhost:3000';
const device = new SoftwareAuthenticator();

async function enrolled() {
  const { challenge } = await generateRegistrationOptions({ rpName: 'Test', rpID: rpId, userName: 'ada@example.test' });
  const verified = await verifyRegistrationResponse({
    response: device.create({ challenge, rpId, origin }),
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
  });
  if (!verified.verified) throw new Error('not verified');
  return verified.registrationInfo.credential;
}

async function authenticate(changed: { origin?: string; userVerified?: boolean; challenge?: string } = {}) {
  const credential = await enrolled();
  const { challenge } = await generateAuthenticationOptions({ rpID: rpId, userVerification: 'required' });
  return verifyAuthenticationResponse({
    response: device.get({ challenge, rpId, origin, ...changed }),
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    credential,
    requireUserVerification: true,
  });
}

test('a passkey is enrolled and authenticates', async () => {
  expect((await authenticate()).verified).toBe(true);
});

test.each([
  ['of another origin', { origin: 'https://evil.example.com' }, /origin/],
  ['without its person', { userVerified: false }, /[Uu]ser verification/],
  ['to another challenge', { challenge: 'b3RoZXI' }, /challenge/],
])('an answer %s is refused', async (_, changed, reason) => {
  await expect(authenticate(changed)).rejects.toThrow(reason);
});
