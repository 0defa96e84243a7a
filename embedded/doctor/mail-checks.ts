import { greetMailServer } from '../../activities/adapters/mail/greet-mail-server.ts';
import { smtpSettingsOf } from '../../domain/notifications/smtp-settings.ts';
import { type Check, fail, ok, skipped } from './check.ts';

const TIMEOUT_MS = 3_000;

/** The mail server, where one is configured. */
export const MAIL_CHECKS: readonly Check[] = [
  {
    name: 'mail-server',
    page: 'notifications.md',
    holds: 'The mail server lets us in',
    run: async ({ settings: { values } }) => {
      const smtp = smtpSettingsOf({ ...values, SMTP_TLS: values.SMTP_TLS ?? 'starttls' });
      if (smtp === null) return skipped('SMTP_ADDRESS and MAIL_FROM are not set: e-mails are not sent.');
      try {
        await greetMailServer(smtp, TIMEOUT_MS);
        return ok(`The mail server ${smtp.host}:${smtp.port} lets us in.`);
      } catch (error) {
        return fail(
          `The mail server ${smtp.host}:${smtp.port} does not let us in (${error instanceof Error ? error.message : String(error)})`,
          'correct SMTP_ADDRESS, SMTP_TLS or the login',
        );
      }
    },
  },
];
