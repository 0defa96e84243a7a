import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { identitySchema } from '../../api/auth/get-identity.ts';
import { idempotencyKeyOf } from '../../api/http/idempotency-key.ts';
import { errorTypeOf } from '../../api/openapi/sdk-tables.ts';
import { ERROR_TABLE, statusesOf, type ErrorCode } from '../../domain/errors.ts';
import { signatureHeader } from '../../domain/messages/signing.ts';
import { canonicalText, checkReceipt } from '../db/effects/stranger.ts';
import { readVectors } from './vectors.ts';

/** The service against the vectors that the SDKs are held to: what it sends is what they verify. PostgreSQL's part: test/db/effects. */

interface Receiver {
  isSigned(delivery: {
    secrets: readonly string[];
    environmentId: string;
    headers: Record<string, string>;
    body: string;
    nowSeconds: number;
  }): boolean;
}

const { isSigned } = (await import(
  new URL('../../docs/examples/event-receiver.mjs', import.meta.url).href
)) as Receiver;

describe('deliveries', () => {
  const { deliveries, signatures } = readVectors('deliveries');

  test.each(signatures)('are signed like this: $name', ({ secrets, header, ...delivery }) => {
    expect(signatureHeader(secrets, delivery)).toBe(header);
  });

  test('have the v1 that the Standard Webhooks library makes', () => {
    for (const { secrets, header, messageId, timestampSeconds, body } of signatures) {
      for (const secret of secrets) {
        const v1 = new Webhook(secret).sign(messageId, new Date(timestampSeconds * 1_000), body);
        expect(header.split(' ')).toContain(v1);
      }
    }
  });

  const environments = deliveries.filter(
    ({ expect: { valid, ...rest }, body }) =>
      body !== undefined && (valid || ('reason' in rest && /^v2_|^timestamp/.test(rest.reason))),
  );
  test.each(environments)('pass the receiver of the cookbook as they pass the SDKs: $name', (vector) => {
    const { headers, environmentId, body = '', now, options } = vector;
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const secrets = [vector.secret].flat();
    const isDefault = options === undefined;
    const verdict = isSigned({ secrets, environmentId, headers: lower, body, nowSeconds: now });
    expect(verdict).toBe(
      vector.expect.valid &&
        (isDefault || (!options.toleranceSeconds && headers['webhook-signature']?.includes('v2,'))),
    );
  });
});

describe('receipts', () => {
  const { canonicalTexts, receipts } = readVectors('receipts');

  test.each(canonicalTexts)('docs/examples/verify-receipt.mjs hashes the same text: $name', ({ value, text }) => {
    expect(canonicalText(value)).toBe(text);
  });

  // It knows neither a head that was kept, nor which entries a record must have, and trusts the kinds that the service writes.
  const alike = receipts.filter(
    ({ keptHead, expect: { brokenAt } }) =>
      keptHead === undefined && brokenAt?.problem !== 'unchained' && brokenAt?.kind !== 'something',
  );
  test.each(alike)('it finds what the SDKs find: $name', ({ effect, expect: expected }) => {
    const { problems, head } = checkReceipt(effect);
    expect([problems.length === 0, head]).toEqual([expected.valid, expected.head]);
  });
});

describe('identities', () => {
  const { checks } = readVectors('scopes');
  const isOurs = (reply: unknown): boolean =>
    z.strictObject({ success: z.literal(true), data: identitySchema }).safeParse(reply).success;
  // A scope of a later service is well-formed, and not ours.
  const sound = checks.filter(
    ({ expect, name }) => !('malformed' in expect && expect.malformed) && !name.includes('not know yet'),
  );
  test.each(sound)('the service may answer this: $name', ({ reply }) => {
    expect(isOurs(reply)).toBe(true);
  });
  // The schema takes a null where the type of the credential would not have one.
  const malformed = checks.filter(
    ({ expect, name }) => 'malformed' in expect && expect.malformed && !name.includes('a key without'),
  );
  test.each(malformed)('the service never answers this: $name', ({ reply }) => {
    expect(isOurs(reply)).toBe(false);
  });
});

describe('errors', () => {
  const { replies } = readVectors('errors');
  const ours = replies.filter(({ expect: { code = '' }, name }) => code in ERROR_TABLE && !name.startsWith('the '));
  test.each(ours)('$name', ({ expect: { code = '', type, status } }) => {
    expect(errorTypeOf(code)).toBe(type);
    expect(statusesOf(code as ErrorCode)).toContain(status);
  });

  test('each code has a type of its own', () => {
    const types = readVectors('error-codes').codes.map(({ type }) => type);
    expect(new Set(types).size).toBe(Object.keys(ERROR_TABLE).length);
    expect(ours.length).toBeGreaterThan(10);
  });
});

describe('an Idempotency-Key', () => {
  const { idempotencyKeys } = readVectors('exchanges');
  test.each(idempotencyKeys.filter(({ valid }) => valid))('is taken: $name', ({ key }) => {
    expect(idempotencyKeyOf([key])).toBe(key);
    expect(carried(key)).toBe(key);
  });
  // Refused by its length, or it never arrives as it was meant: HTTP changes it, or cannot carry it.
  test.each(idempotencyKeys.filter(({ valid }) => !valid))('is none: $name', ({ key }) => {
    const arrives = carried(key);
    const takes = (): unknown => (arrives === key ? idempotencyKeyOf([arrives]) : idempotencyKeyOf(['']));
    expect(takes).toThrow(/Idempotency-Key/);
  });
});

function carried(key: string): string | null {
  try {
    return new Headers({ 'Idempotency-Key': key }).get('Idempotency-Key');
  } catch {
    return null; // fetch refuses it
  }
}
