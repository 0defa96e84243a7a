import SMTPConnection from 'nodemailer/lib/smtp-connection/index.js';
import type { SmtpSettings } from '../../../domain/notifications/smtp-settings.ts';

/** A connection to the mail server, which nothing has opened yet. `ca`: PEM of a further authority. */
export function smtpConnection({ host, port, tls }: SmtpSettings, timeoutMs: number, ca?: string): SMTPConnection {
  return new SMTPConnection({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'off',
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    ...(ca === undefined ? {} : { tls: { ca } }),
  });
}

/** Connects and, where there is a login, signs in. Calls `done` with what failed, or with null; the event `error` tells of the rest. */
export function enter(
  connection: SMTPConnection,
  { login }: SmtpSettings,
  done: (failure: Error | null) => void,
): void {
  connection.connect((failure) => {
    if (failure !== undefined && failure !== null) done(failure);
    else if (login === null) done(null);
    else
      connection.login({ credentials: { user: login.user, pass: login.password } }, (refused) => done(refused ?? null));
  });
}
