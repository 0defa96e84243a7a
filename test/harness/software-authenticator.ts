import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** Flags of authenticator data (WebAuthn, section 6.1). */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;

export interface Asked {
  challenge: string;
  rpId: string;
  origin: string;
  /** By default the person shows a finger or types a PIN. */
  userVerified?: boolean;
  /** Whose passkey it is, in the answer of one that the browser has chosen by itself. */
  userId?: string;
}

/** One passkey in Node: ES256, attestation `none`, as a phone answers. */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(32);
  private readonly privateKey: KeyObject;
  private readonly publicKey: KeyObject;
  /** How often it signed. Set it back, and the passkey looks copied; leave `counts` false, and it is one that syncs. */
  counter = 0;
  counts = true;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.privateKey = privateKey;
    this.publicKey = publicKey;
  }

  /** The JSON of `navigator.credentials.create`. */
  create(asked: Asked) {
    const id = Buffer.alloc(2);
    id.writeUInt16BE(this.credentialId.length);
    const attested = Buffer.concat([Buffer.alloc(16), id, this.credentialId, this.coseKey()]);
    const data = Buffer.concat([this.authenticatorData(asked, ATTESTED), attested]);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      cborText('fmt'),
      cborText('none'),
      cborText('attStmt'),
      Buffer.from([0xa0]),
      cborText('authData'),
      cborBytes(data),
    ]);
    return this.answer(asked, 'webauthn.create', {
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** The JSON of `navigator.credentials.get`. */
  get(asked: Asked) {
    if (this.counts) this.counter += 1;
    const data = this.authenticatorData(asked, 0);
    const client = clientData(asked, 'webauthn.get');
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
    return this.answer(asked, 'webauthn.get', {
      authenticatorData: data.toString('base64url'),
      signature: createSign('sha256').update(signed).sign(this.privateKey).toString('base64url'),
      ...(asked.userId === undefined ? {} : { userHandle: Buffer.from(asked.userId).toString('base64url') }),
    });
  }

  private answer<Response extends object>(asked: Asked, type: string, response: Response) {
    const id = this.credentialId.toString('base64url');
    return {
      id,
      rawId: id,
      type: 'public-key' as const,
      clientExtensionResults: {},
      response: { clientDataJSON: clientData(asked, type).toString('base64url'), ...response },
    };
  }

  private authenticatorData({ rpId, userVerified = true }: Asked, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const all = USER_PRESENT | (userVerified ? USER_VERIFIED : 0) | flags;
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([all]), counter]);
  }

  /** RFC 9053: kty EC2, alg ES256, crv P-256, x, y. */
  private coseKey(): Buffer {
    const { x = '', y = '' } = this.publicKey.export({ format: 'jwk' });
    return Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      cborBytes(Buffer.from(x, 'base64url')),
      Buffer.from([0x22]),
      cborBytes(Buffer.from(y, 'base64url')),
    ]);
  }
}

function clientData({ challenge, origin }: Asked, type: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function cborBytes(bytes: Buffer): Buffer {
  const head = bytes.length < 256 ? [0x58, bytes.length] : [0x59, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from(head), bytes]);
}
