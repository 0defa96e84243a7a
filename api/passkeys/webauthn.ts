import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { NewPasskey, PasskeyRecord } from '../../db/passkeys/passkeys.ts';
import { CHALLENGE_SECONDS } from '../../db/passkeys/challenges.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type PasskeyPlace, passkeyPlaceOf } from '../../domain/passkeys/passkey-place.ts';
import { PRODUCT } from '../../domain/product.ts';
import type { PresentedCredential } from './schemas.ts';

/** Loaded by the first request about a passkey: its certificates and formats cost 10 MiB. */
const library = () => import('@simplewebauthn/server');

const TIMEOUT_MS = CHALLENGE_SECONDS * 1_000;

/** @throws {ServiceError} CONFLICT, in words, where passkeys cannot be had. */
export function placeOf(pagesUrl: string | null, origin: string | undefined): PasskeyPlace {
  const place = passkeyPlaceOf(pagesUrl, origin ?? null);
  if ('problem' in place) throw new ServiceError('CONFLICT', { message: place.problem });
  return place;
}

interface Options {
  publicKey: JsonObject;
  challenge: string;
}

/** What a browser is asked for to make a passkey. It makes none where the person has one of these. */
export async function creationOptions(
  place: PasskeyPlace,
  user: { userId: string; email: string; name: string },
  known: readonly PasskeyRecord[],
): Promise<Options> {
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: PRODUCT.name,
    rpID: place.rpId,
    userID: new TextEncoder().encode(user.userId),
    userName: user.email,
    userDisplayName: user.name,
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: known.map(described),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  });
  return { publicKey: options as unknown as JsonObject, challenge: options.challenge };
}

/** What a browser is asked for to show one of these passkeys; with none of them, any that it keeps for this place. */
export async function requestOptions(place: PasskeyPlace, known: readonly PasskeyRecord[]): Promise<Options> {
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    rpID: place.rpId,
    timeout: TIMEOUT_MS,
    allowCredentials: known.map(described),
    userVerification: 'required',
  });
  return { publicKey: options as unknown as JsonObject, challenge: options.challenge };
}

/** Returns why the answer is refused, in the words of the library, or what it proves. */
type Verdict<Proof> = { refused: string } | Proof;

/** Attestation is not asked for, so it proves possession of the key and a person at the authenticator, and not its make. */
export async function verifyCreation(
  { rpId, origin }: PasskeyPlace,
  expectedChallenge: string,
  presented: PresentedCredential,
): Promise<Verdict<Omit<NewPasskey, 'name'>>> {
  const { verifyRegistrationResponse } = await library();
  return refusing(async () => {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: presented as unknown as RegistrationResponseJSON,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
    });
    if (!verified) return { refused: 'the answer is not signed by the passkey' };
    const { credential, credentialBackedUp } = registrationInfo;
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      signCount: credential.counter,
      transports: [...(credential.transports ?? [])],
      isSynced: credentialBackedUp,
    };
  });
}

/** Checks challenge, origin, RP ID, user verification, signature and counter. */
export async function verifyUse(
  { rpId, origin }: PasskeyPlace,
  expectedChallenge: string,
  presented: PresentedCredential,
  passkey: PasskeyRecord,
): Promise<Verdict<{ signCount: number }>> {
  const { verifyAuthenticationResponse } = await library();
  return refusing(async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: presented as unknown as AuthenticationResponseJSON,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId.toString('base64url'),
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.signCount,
      },
    });
    return verified
      ? { signCount: authenticationInfo.newCounter }
      : { refused: 'the signature is not that of the passkey' };
  });
}

const REASON_CHARACTERS_MAX = 300;

/** The library throws for everything that does not hold, also for what it cannot parse. */
async function refusing<Proof>(verify: () => Promise<Verdict<Proof>>): Promise<Verdict<Proof>> {
  try {
    return await verify();
  } catch (error) {
    return { refused: (error instanceof Error ? error.message : String(error)).slice(0, REASON_CHARACTERS_MAX) };
  }
}

function described({ credentialId, transports }: PasskeyRecord) {
  return { id: credentialId.toString('base64url'), transports: transports as AuthenticatorTransport[] };
}
