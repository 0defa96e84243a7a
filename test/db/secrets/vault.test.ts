import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { MasterKeysError, Vault, type SealedSecret, type SecretContext } from '../../../db/secrets/vault.ts';
import { NONCE_BYTES, SealBrokenError, TAG_BYTES } from '../../../domain/sealing.ts';

const KEY_1 = randomBytes(32).toString('base64');
const KEY_2 = randomBytes(32).toString('base64');
const VALUE = 'sk_live_plaintext_that_must_not_leak';
const CONTEXT: SecretContext = {
  workspaceId: '11111111-1111-7111-8111-111111111111',
  environmentId: '22222222-2222-7222-8222-222222222222',
  name: 'PAYMENT_KEY',
  version: 3,
};
const vault = Vault.fromMasterKeys(`1:${KEY_1}`);

function openError(context: SecretContext, sealed: SealedSecret, opener = vault): Error {
  try {
    opener.open(context, sealed);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it opened');
}

function flipped(box: Buffer, position: number): Buffer {
  const copy = Buffer.from(box);
  copy.writeUInt8(copy.readUInt8(position) ^ 1, position);
  return copy;
}

describe('a sealed secret', () => {
  it.each([VALUE, 'x', 'ünïcödé 🔑\n\0', 'y'.repeat(64 * 1024)])('opens at its place', (value) => {
    expect(vault.open(CONTEXT, vault.seal(CONTEXT, value))).toBe(value);
  });

  it('has a data key and nonces of its own each time', () => {
    const [one, two] = [vault.seal(CONTEXT, VALUE), vault.seal(CONTEXT, VALUE)];
    expect(one.wrappedDataKey.equals(two.wrappedDataKey)).toBe(false);
    expect(one.sealedValue.equals(two.sealedValue)).toBe(false);
    expect(one.sealedValue.subarray(0, NONCE_BYTES).equals(two.sealedValue.subarray(0, NONCE_BYTES))).toBe(false);
    expect(openError(CONTEXT, { ...one, wrappedDataKey: two.wrappedDataKey })).toBeInstanceOf(SealBrokenError);
    expect(one.sealedValue.includes(VALUE)).toBe(false);
  });

  it('refuses to open when any byte of either box is changed', () => {
    const sealed = vault.seal(CONTEXT, VALUE);
    for (const part of ['wrappedDataKey', 'sealedValue'] as const) {
      for (let position = 0; position < sealed[part].byteLength; position++) {
        const error = openError(CONTEXT, { ...sealed, [part]: flipped(sealed[part], position) });
        expect(error, `${part}, byte ${position}`).toBeInstanceOf(SealBrokenError);
      }
    }
  });

  it('refuses to open when a box is cut or lengthened', () => {
    const sealed = vault.seal(CONTEXT, VALUE);
    for (const part of ['wrappedDataKey', 'sealedValue'] as const) {
      const box = sealed[part];
      const others = [
        Buffer.alloc(0),
        box.subarray(0, NONCE_BYTES + TAG_BYTES - 1),
        box.subarray(0, -1),
        box.subarray(1),
        Buffer.concat([box, Buffer.of(0)]),
      ];
      for (const other of others) {
        expect(openError(CONTEXT, { ...sealed, [part]: other })).toBeInstanceOf(SealBrokenError);
      }
    }
  });

  it.each([
    ['workspace', { workspaceId: '33333333-3333-7333-8333-333333333333' }],
    ['environment', { environmentId: '33333333-3333-7333-8333-333333333333' }],
    ['name', { name: 'PAYMENT_KEY2' }],
    ['version', { version: 4 }],
  ] as [string, Partial<SecretContext>][])('refuses to open in another %s, either box by itself', (_what, change) => {
    const other = { ...CONTEXT, ...change };
    const sealed = vault.seal(CONTEXT, VALUE);
    expect(openError(other, sealed)).toBeInstanceOf(SealBrokenError);
    expect(openError(other, sealed).message).toContain('the data key of');
    // Both the value and the data key are bound to their place. With only one bound, the other could be moved elsewhere.
    const grafted = regraft(sealed, CONTEXT, other);
    expect(openError(other, grafted).message).toContain('the value of');
  });

  it.each([
    ['a digit between name and version', { name: 'A', version: 11 }, { name: 'A1', version: 1 }],
    ['a quote', { environmentId: 'a","b', name: 'c' }, { environmentId: 'a', name: 'b","c' }],
    ['an empty part', { workspaceId: '', environmentId: 'ab' }, { workspaceId: 'ab', environmentId: '' }],
  ] as [string, Partial<SecretContext>, Partial<SecretContext>][])(
    'does not confuse tuples whose parts run together: %s',
    (_what, one, two) => {
      const [from, to] = [
        { ...CONTEXT, ...one },
        { ...CONTEXT, ...two },
      ];
      const sealed = vault.seal(from, VALUE);
      expect(openError(to, sealed).message).toContain('the data key of');
      expect(openError(to, regraft(sealed, from, to)).message).toContain('the value of');
    },
  );

  it('refuses to open under another master key of the same version', () => {
    const error = openError(CONTEXT, vault.seal(CONTEXT, VALUE), Vault.fromMasterKeys(`1:${KEY_2}`));
    expect(error).toBeInstanceOf(SealBrokenError);
  });

  it('tells no value and no key in its errors, nor when printed', () => {
    const sealed = vault.seal(CONTEXT, VALUE);
    const error = openError({ ...CONTEXT, version: 4 }, sealed);
    const printed = inspect([error, vault, JSON.stringify(vault)], { depth: 10, showHidden: true });
    for (const secret of [VALUE, KEY_1, Buffer.from(KEY_1, 'base64').toString('hex')]) {
      expect(printed).not.toContain(secret);
    }
    expect(error.cause).toBeUndefined();
  });
});

describe('master key rotation', () => {
  const rotated = Vault.fromMasterKeys(`1:${KEY_1},2:${KEY_2}`);

  it('seals under the highest version, wherever it stands in the text', () => {
    expect(Vault.fromMasterKeys(`2:${KEY_2}, 1:${KEY_1}`).seal(CONTEXT, VALUE).masterKeyVersion).toBe(2);
  });

  it('still opens what an older master key sealed', () => {
    const sealed = vault.seal(CONTEXT, VALUE);
    expect(rotated.open(CONTEXT, sealed)).toBe(VALUE);
  });

  it('rewraps: the same value and sealed bytes, then the old master key is not needed', () => {
    const sealed = vault.seal(CONTEXT, VALUE);
    const rewrapped = rotated.rewrap(CONTEXT, sealed);
    expect(rewrapped.masterKeyVersion).toBe(2);
    expect(rewrapped.sealedValue.equals(sealed.sealedValue)).toBe(true);
    expect(rewrapped.wrappedDataKey.equals(sealed.wrappedDataKey)).toBe(false);
    expect(rewrapped.masterKeyVersion).toBe(rotated.newestMasterKeyVersion);
    expect(Vault.fromMasterKeys(`2:${KEY_2}`).open(CONTEXT, rewrapped)).toBe(VALUE);
    expect(openError(CONTEXT, rewrapped).message).toBe('master key version 2 is not configured (configured: 1)');
  });

  it('does not carry a broken secret on', () => {
    const sealed = vault.seal(CONTEXT, VALUE);
    const broken = { ...sealed, sealedValue: flipped(sealed.sealedValue, 20) };
    expect(() => rotated.rewrap(CONTEXT, broken)).toThrow(SealBrokenError);
    expect(() => rotated.rewrap({ ...CONTEXT, name: 'OTHER' }, sealed)).toThrow(SealBrokenError);
  });

  it('does not take the wrap of one master key version for another of the same key', () => {
    const twice = Vault.fromMasterKeys(`1:${KEY_1},2:${KEY_1}`);
    expect(openError(CONTEXT, { ...vault.seal(CONTEXT, VALUE), masterKeyVersion: 2 }, twice)).toBeInstanceOf(
      SealBrokenError,
    );
  });
});

describe('a master key that is marked, in a rolling restart', () => {
  const marked = Vault.fromMasterKeys(`1:${KEY_1},~2:${KEY_2}`);
  const unmarked = Vault.fromMasterKeys(`1:${KEY_1},2:${KEY_2}`);

  it('does not seal, sign or come first among the digests yet', () => {
    expect(marked.seal(CONTEXT, VALUE).masterKeyVersion).toBe(1);
    expect(marked.rewrap(CONTEXT, vault.seal(CONTEXT, VALUE)).masterKeyVersion).toBe(1);
    expect(marked.sign('one', 'text')).toBe(vault.sign('one', 'text'));
    expect(marked.digests('one', 'text')[0]).toBe(vault.digests('one', 'text')[0]);
    expect(unmarked.seal(CONTEXT, VALUE).masterKeyVersion).toBe(2);
  });

  it.each([
    ['a process before the mark is away', marked, unmarked],
    ['a process after it', unmarked, marked],
  ])('lets %s be understood by the others', (_which, writer, reader) => {
    expect(reader.open(CONTEXT, writer.seal(CONTEXT, VALUE))).toBe(VALUE);
    expect(reader.verify('one', 'text', writer.sign('one', 'text'))).toBe(true);
    const [recorded] = writer.digests('one', 'text');
    expect(reader.digests('one', 'text')).toContain(recorded);
  });

  it.each([
    [`1:${KEY_1}`, null],
    [`1:${KEY_1},2:${KEY_2}`, null],
    [`~1:${KEY_1},2:${KEY_2}`, null],
    [`~2:${KEY_2}, 1:${KEY_1}`, 2],
  ])('waits where its version is the highest (%#)', (text, waiting) => {
    expect(Vault.fromMasterKeys(text).waitingMasterKeyVersion).toBe(waiting);
  });
});

describe('the digests of the master keys', () => {
  const of = (text: string): string[] =>
    Vault.fromMasterKeys(text)
      .keyDigests()
      .map(({ version, digest }) => `${version} ${digest.toString('hex')}`);

  it('are of value and version, the lowest first, whatever the order and the marks', () => {
    expect(of(`~2:${KEY_2},1:${KEY_1}`)).toEqual([...of(`1:${KEY_1}`), ...of(`2:${KEY_2}`)]);
    const all = [`1:${KEY_1}`, `2:${KEY_1}`, `1:${KEY_2}`].flatMap(of).map((line) => line.split(' ')[1]);
    expect(new Set(all).size).toBe(3);
  });

  it('are neither the keys nor what they sign with', () => {
    const printed = of(`1:${KEY_1}`).join();
    expect(printed).toMatch(/^1 [0-9a-f]{64}$/);
    expect(printed).not.toContain(Buffer.from(KEY_1, 'base64').toString('hex'));
  });
});

describe('the master keys in the configuration', () => {
  const short = randomBytes(16).toString('base64');
  it.each([
    ['', 'master key 1 is not of the form <version>:<base64 of 32 bytes>'],
    [KEY_1, 'master key 1 is not of the form <version>:<base64 of 32 bytes>'],
    [`0:${KEY_1}`, 'master key 1 is not of the form <version>:<base64 of 32 bytes>'],
    [`9999999999:${KEY_1}`, 'master key 1 is not of the form <version>:<base64 of 32 bytes>'],
    [`1:${KEY_1},`, 'master key 2 is not of the form <version>:<base64 of 32 bytes>'],
    [`1:${short}`, 'master key version 1 has 16 bytes; it needs 32'],
    [`1:${KEY_1},1:${KEY_2}`, 'master key version 1 is given twice'],
    [`1:${KEY_1},~1:${KEY_2}`, 'master key version 1 is given twice'],
    [`~~1:${KEY_1}`, 'master key 1 is not of the form <version>:<base64 of 32 bytes>'],
    [`~1:${KEY_1},~2:${KEY_2}`, 'every master key is marked with ~: one without the mark must seal'],
  ])('is refused without being printed (%#)', (text, message) => {
    expect(() => Vault.fromMasterKeys(text)).toThrow(new MasterKeysError(message));
  });
});

/** The value box of one place with the same data key wrapped for another: what an insider with a master key might make. */
function regraft(sealed: SealedSecret, from: SecretContext, to: SecretContext): SealedSecret {
  const internals = vault as unknown as {
    unwrap(context: SecretContext, sealed: SealedSecret): Buffer;
    wrap(version: number, context: SecretContext, dataKey: Buffer): Buffer;
  };
  return { ...sealed, wrappedDataKey: internals.wrap(1, to, internals.unwrap(from, sealed)) };
}

describe('digests', () => {
  const after = Vault.fromMasterKeys(`1:${KEY_1},2:${KEY_2}`);

  it('are the same for the same text and purpose, and found again under a newer master key', () => {
    expect(vault.digests('one', 'text')).toEqual(vault.digests('one', 'text'));
    const [newest, ...earlier] = after.digests('one', 'text');
    expect(earlier).toEqual(vault.digests('one', 'text'));
    expect(newest).toMatch(/^2\./);
  });

  it('differ by text, purpose and master key', () => {
    const other = Vault.fromMasterKeys(`1:${KEY_2}`);
    const all = [
      vault.digests('one', 'text'),
      vault.digests('one', 'other'),
      vault.digests('two', 'text'),
      other.digests('one', 'text'),
    ];
    expect(new Set(all.map(([first]) => first)).size).toBe(4);
  });
});
