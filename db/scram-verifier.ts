import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** PostgreSQL's own defaults (scram_iterations, and the length of its salts). */
const ITERATIONS = 4_096;
const SALT_BYTES = 16;
const KEY_BYTES = 32;
const ASCII = /^\p{ASCII}+$/u;

/**
 * What PostgreSQL keeps of a password, in the form that `CREATE ROLE … PASSWORD` takes: whoever reads that statement cannot sign in with it
 * (RFC 5803). Null for a password that is empty or not ASCII: the latter is normalized by SASLprep first, which is PostgreSQL's to do.
 */
export function scramVerifierOf(password: string, salt: Buffer = randomBytes(SALT_BYTES)): string | null {
  if (!ASCII.test(password)) return null;
  const salted = pbkdf2Sync(password, salt, ITERATIONS, KEY_BYTES, 'sha256');
  const keyOf = (purpose: string): Buffer => createHmac('sha256', salted).update(purpose).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
