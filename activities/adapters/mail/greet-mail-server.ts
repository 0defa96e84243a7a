import SMTPConnection from 'nodemailer/lib/smtp-connection/index.js';
import type { SmtpSettings } from '../../../domain/notifications/smtp-settings.ts';

/** Connects and signs in, and sends nothing. Rejects where the server does not let us in. */
export function greetMailServer({ host, port, tls, login }: SmtpSettings, timeoutMs: number): Promise<void> {
  const connection = new SMTPConnection({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'off',
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  return new Promise<void>((resolve, reject) => {
    connection.once('error', reject);
    connection.connect(() => {
      if (login === null) return resolve();
      connection.login({ user: login.user, pass: login.password }, (error) =>
        error === null ? resolve() : reject(error),
      );
    });
  }).finally(() => connection.close());
}
