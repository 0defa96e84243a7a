import type { Database } from './client.ts';

/** The login can bypass row-level security, or the database has not been migrated. */
export class UnsuitableLoginError extends Error {}

/**
 * Throws UnsuitableLoginError where the login is, or can become, a superuser, a role that bypasses row-level security, or the
 * owner of one of our tables: row-level security does not isolate environments from such a role.
 */
export async function refusePrivilegedLogin(db: Database): Promise<void> {
  const { rows } = await db.directory.raw<{ rows: Facts[] }>(`
    SELECT current_user AS login,
           to_regclass('public.invocations') IS NOT NULL AS migrated,
           EXISTS (SELECT FROM pg_roles r WHERE r.rolsuper AND pg_has_role(current_user, r.oid, 'MEMBER')) AS superuser,
           EXISTS (SELECT FROM pg_roles r WHERE r.rolbypassrls AND pg_has_role(current_user, r.oid, 'MEMBER')) AS bypasses,
           EXISTS (SELECT FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
                     AND pg_has_role(current_user, c.relowner, 'MEMBER')) AS owns`);
  const facts = rows[0];
  if (facts === undefined) throw new Error('PostgreSQL said nothing of the login');
  const privileges = [
    ...(facts.superuser ? ['is a superuser'] : []),
    ...(facts.bypasses ? ['bypasses row-level security'] : []),
    ...(facts.owns ? ['owns tables of the service'] : []),
  ];
  if (privileges.length > 0) {
    throw new UnsuitableLoginError(
      `The database login "${facts.login}" ${privileges.join(' and ')}, so row-level security would not keep environments apart. Give DATABASE_URL a plain login and MIGRATION_DATABASE_URL the owner's; "npm run db:migrate" makes the plain one.`,
    );
  }
  if (!facts.migrated) {
    throw new UnsuitableLoginError('The database holds no tables of the service yet. Run "npm run db:migrate" first.');
  }
}

interface Facts {
  login: string;
  migrated: boolean;
  superuser: boolean;
  bypasses: boolean;
  owns: boolean;
}
