import { migrate } from '../../db/migrate.ts';
import { runCommand } from './run-command.ts';

/** `npm run db:migrate`: brings the database to the newest schema, and makes the application's login where it is missing. */
await runCommand(async (configuration) => {
  const { DATABASE_URL: applicationUrl, MIGRATION_DATABASE_URL: ownerUrl } = configuration;
  if (applicationUrl === null) throw new Error('DATABASE_URL is not set: the login that the application will use.');
  const { applied } = await migrate({ ownerUrl: ownerUrl ?? applicationUrl, applicationUrl });
  return applied.length === 0 ? 'The schema is the newest already.' : `Applied: ${applied.join(', ')}.`;
});
