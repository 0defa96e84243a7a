import type { SmtpSettings } from '../../../domain/notifications/smtp-settings.ts';
import { enter, smtpConnection } from './smtp-connection.ts';

/** Connects and signs in, and sends nothing. Rejects where the server does not let us in. */
export function greetMailServer(settings: SmtpSettings, timeoutMs: number): Promise<void> {
  const connection = smtpConnection(settings, timeoutMs);
  return new Promise<void>((resolve, reject) => {
    connection.on('error', reject);
    enter(connection, settings, (failure) => (failure === null ? resolve() : reject(failure)));
  }).finally(() => connection.close());
}
