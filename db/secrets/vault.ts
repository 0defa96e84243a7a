import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { openBytes, SealBrokenError, sealBytes, SEALING_KEY_BYTES } from '../../domain/sealing.ts';
import { parseVersionedKeys } from '../../domain/versioned-keys.ts';
import type { Json } from '../../domain/json.ts';
import { ServiceError } from '../../domain/errors.ts';

/** The associated data of a sealed value. It must be the same to open the value. */
export interface SecretContext {
  workspaceId: string;
  environmentId: string;
  name: string;
  version: number;
}

/** A sealed secret as stored in `secret_versions`. Each box is nonce | ciphertext | tag. */
export interface SealedSecret {
  masterKeyVersion: number;
  /** The data key of this version, encrypted under the master key. */
  wrappedDataKey: Buffer;
  /** The value, encrypted under the data key. */
  sealedValue: Buffer;
}

/** What signs and verifies links of ours. */
export type LinkSigner = Pick<Vault, 'sign' | 'verify'>;

/** The configured master keys cannot be used. The message contains no key. */
export class MasterKeysError extends Error {}

/**
 * Envelope encryption of secrets: every version has a fresh data key, wrapped under the newest of the versioned master keys. Only
 * this object holds the master keys, and no error that it throws contains a key or a value.
 */
export class Vault {
  readonly #masterKeys: ReadonlyMap<number, KeyObject>;
  /** The version that seals, signs and comes first among digests: the highest that is not marked with `~`. */
  readonly newestMasterKeyVersion: number;
  /** The highest version, where its mark keeps it from sealing; else null. */
  readonly waitingMasterKeyVersion: number | null;

  private constructor(masterKeys: ReadonlyMap<number, KeyObject>, newestMasterKeyVersion: number) {
    this.#masterKeys = masterKeys;
    this.newestMasterKeyVersion = newestMasterKeyVersion;
    const highest = Math.max(...masterKeys.keys());
    this.waitingMasterKeyVersion = highest > newestMasterKeyVersion ? highest : null;
  }

  /**
   * Parses what `parseVersionedKeys` does. All versions open and verify. Throws MasterKeysError, also where no key seals.
   */
  static fromMasterKeys(text: string): Vault {
    const { keys, sealing } = parseVersionedKeys(text, 'master key', MasterKeysError);
    if (sealing === null)
      throw new MasterKeysError('every master key is marked with ~: one without the mark must seal');
    return new Vault(keys, sealing);
  }

  /**
   * A digest of each master key by its version, the lowest first. It tells whether two processes hold the same key, and nothing of the key: it is
   * derived for this alone.
   */
  keyDigests(): { version: number; digest: Buffer }[] {
    const byVersion = [...this.#masterKeys].toSorted(([one], [other]) => one - other);
    return byVersion.map(([version, key]) => ({
      version,
      digest: createHmac('sha256', key).update(`digest of master key ${version}`).digest(),
    }));
  }

  /** Seals a value (any text) with its associated data, under a fresh data key and the newest master key. */
  seal(context: SecretContext, value: string): SealedSecret {
    const dataKey = randomBytes(SEALING_KEY_BYTES);
    try {
      return {
        masterKeyVersion: this.newestMasterKeyVersion,
        wrappedDataKey: this.wrap(this.newestMasterKeyVersion, context, dataKey),
        sealedValue: sealBytes(createSecretKey(dataKey), Buffer.from(value, 'utf8'), valueAssociatedData(context)),
      };
    } finally {
      dataKey.fill(0);
    }
  }

  /**
   * Opens a value. Throws SealBrokenError where the box or its associated data was changed, MasterKeysError where the master key
   * is not configured.
   */
  open(context: SecretContext, sealed: SealedSecret): string {
    const dataKey = this.unwrap(context, sealed);
    try {
      const what = `the value of ${label(context)}`;
      return openBytes(createSecretKey(dataKey), sealed.sealedValue, valueAssociatedData(context), what).toString(
        'utf8',
      );
    } finally {
      dataKey.fill(0);
    }
  }

  /**
   * Rewraps the same value and data key under the newest master key. It opens the value first, so that a broken one is not
   * carried on.
   */
  rewrap(context: SecretContext, sealed: SealedSecret): SealedSecret {
    this.open(context, sealed);
    const dataKey = this.unwrap(context, sealed);
    try {
      return {
        masterKeyVersion: this.newestMasterKeyVersion,
        wrappedDataKey: this.wrap(this.newestMasterKeyVersion, context, dataKey),
        sealedValue: sealed.sealedValue,
      };
    } finally {
      dataKey.fill(0);
    }
  }

  /** A signature over a text that only holders of the master keys can make. One purpose's is worth nothing for another. */
  sign(purpose: string, text: string): string {
    return this.signatureOf(this.newestMasterKeyVersion, purpose, text);
  }

  /** Whether `sign` made it, under any of the master keys. */
  verify(purpose: string, text: string, signature: string): boolean {
    const version = Number(/^([1-9][0-9]{0,9})\./.exec(signature)?.[1]);
    if (!this.#masterKeys.has(version)) return false;
    const [made, given] = [this.signatureOf(version, purpose, text), signature].map((value) => Buffer.from(value));
    return made !== undefined && given !== undefined && made.length === given.length && timingSafeEqual(made, given);
  }

  /**
   * Digests of a text, one under each master key, the one that seals first. They tell nothing without the master keys, not even if few texts are
   * possible. Two texts are the same if the first digest of one is among those of the other.
   */
  digests(purpose: string, text: string): [string, ...string[]] {
    const { newestMasterKeyVersion: newest } = this;
    const earlier = [...this.#masterKeys.keys()].filter((version) => version !== newest);
    return [newest, ...earlier].map((version) => this.signatureOf(version, purpose, text)) as [string, ...string[]];
  }

  /** The key is derived for its purpose, so that no signature is ever made with a key that seals. */
  private signatureOf(version: number, purpose: string, text: string): string {
    const key = createHmac('sha256', this.masterKey(version)).update(`signing key for ${purpose}`).digest();
    return `${version}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  }

  private wrap(masterKeyVersion: number, context: SecretContext, dataKey: Buffer): Buffer {
    return sealBytes(this.masterKey(masterKeyVersion), dataKey, dataKeyAssociatedData(context, masterKeyVersion));
  }

  private unwrap(context: SecretContext, sealed: SealedSecret): Buffer {
    const { masterKeyVersion, wrappedDataKey } = sealed;
    const associatedData = dataKeyAssociatedData(context, masterKeyVersion);
    return openBytes(
      this.masterKey(masterKeyVersion),
      wrappedDataKey,
      associatedData,
      `the data key of ${label(context)}`,
    );
  }

  private masterKey(version: number): KeyObject {
    const key = this.#masterKeys.get(version);
    if (key !== undefined) return key;
    const known = [...this.#masterKeys.keys()].join(', ');
    throw new MasterKeysError(`master key version ${version} is not configured (configured: ${known})`);
  }
}

function valueAssociatedData(context: SecretContext): Json {
  return ['secret value', context.workspaceId, context.environmentId, context.name, context.version];
}

function dataKeyAssociatedData(context: SecretContext, masterKeyVersion: number): Json {
  const { workspaceId, environmentId, name, version } = context;
  return ['secret data key', masterKeyVersion, workspaceId, environmentId, name, version];
}

function label(context: SecretContext): string {
  return `secret ${context.name} version ${context.version}`;
}

/** Whether a sealed value cannot be opened: its master key is no longer configured, or its row is damaged. */
export function isUnopened(thrown: unknown): boolean {
  return thrown instanceof SealBrokenError || thrown instanceof MasterKeysError;
}

/**
 * Opens what a caller once gave and can give again.
 *
 * @param message what the caller reads where it does not open: what does not, and what to give anew.
 * @throws {ServiceError} CONFLICT where it does not open.
 */
export function openedOrConflict<T>(open: () => T, message: string): T {
  try {
    return open();
  } catch (error) {
    if (isUnopened(error)) throw new ServiceError('CONFLICT', { message, cause: error });
    throw error;
  }
}
