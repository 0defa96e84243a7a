import { migrate } from '../../db/migrate.ts';
import { databaseOf } from '../local-stack.ts';
import { runCommand } from './run-command.ts';

/** `npm run db:migrate`: brings the database to the newest schema, and makes the application's login where it is missing. */
await runCommand('Usage: npm run db:migrate', {}, async (configuration) => {
  const { applicationUrl, ownerUrl } = databaseOf(configuration);
  const { applied } = await migrate({ ownerUrl: ownerUrl ?? applicationUrl, applicationUrl }).catch(
    (error: unknown) => {
      if (ownerUrl !== null || !(error instanceof Error)) throw error;
      const login = 'as the login of DATABASE_URL, because MIGRATION_DATABASE_URL is not set';
      throw new Error(`${error.message} (${login})`, { cause: error });
    },
  );
  return applied.length === 0 ? 'The schema is the newest already.' : `Applied: ${applied.join(', ')}.`;
});
