export interface Mail {
  /** The same at every attempt, so that a receiver can tell a repetition: the local part of its Message-ID. */
  id: string;
  to: string;
  subject: string;
  /** Plain text; lines end in \n. */
  text: string;
}

/**
 * What became of a mail. `reason` holds no word of the server, of the mail or of a credential.
 *
 * - `accepted`: the server has taken it, and answers for it from now on.
 * - `rejected`: the server will never take it.
 * - `deferred`: the server certainly did not take it; it may later.
 * - `unknown`: all of it may have been sent, and no answer was seen.
 */
export type MailResult =
  | { kind: 'accepted' }
  | { kind: 'rejected'; reason: string }
  | { kind: 'deferred'; reason: string }
  | { kind: 'unknown'; reason: string };

export interface Mailer {
  /** Never throws, and never repeats. */
  send(mail: Mail): Promise<MailResult>;
}
