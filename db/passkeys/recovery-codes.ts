import { randomBytes } from 'node:crypto';
import { hashToken } from '../auth/sessions.ts';
import type { UserTransaction } from '../client.ts';

export const RECOVERY_CODES = 10;
/** 80 random bits need no slow hash, and an attempt passes the throttle of sign-ins. */
const RECOVERY_CODE_BYTES = 10;

/** Replaces the recovery codes of the transaction's user. Returns the new ones: only their hashes are stored. */
export async function makeRecoveryCodes(tx: UserTransaction): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newCode);
  await tx.raw('make_recovery_codes', 'DELETE FROM recovery_codes WHERE user_id = current_user_id()');
  await tx.raw(
    'make_recovery_codes_2',
    'INSERT INTO recovery_codes (code_hash, user_id) SELECT hash, current_user_id() FROM unnest(?::bytea[]) AS hash',
    [codes.map(hashOf)],
  );
  return codes;
}

/** Uses a code up. Returns false where the user has no such code, or used it before. */
export async function useRecoveryCode(tx: UserTransaction, code: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'use_recovery_code',
    'UPDATE recovery_codes SET used_at = now() WHERE code_hash = ? AND used_at IS NULL',
    [hashOf(code)],
  );
  return rowCount === 1;
}

export async function countUnusedCodes(tx: UserTransaction): Promise<number> {
  const row = await tx.row<{ unused: number }>(
    'count_unused_codes',
    'SELECT count(*)::int AS unused FROM recovery_codes WHERE user_id = current_user_id() AND used_at IS NULL',
    [],
  );
  return row?.unused ?? 0;
}

/** `1f0c9-ab34e-0d2f7-61b8a`. */
function newCode(): string {
  return (randomBytes(RECOVERY_CODE_BYTES).toString('hex').match(/.{5}/g) ?? []).join('-');
}

/** Case, hyphens and spaces make no difference: people type codes from paper. */
function hashOf(code: string): Buffer {
  return hashToken(code.replaceAll(/[\s-]/g, '').toLowerCase());
}
