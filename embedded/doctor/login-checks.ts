import { type Check, fail, ok } from './check.ts';
import { judged } from './judged.ts';

const PAGE = 'operations.md#postgresql';
const PLAIN_LOGIN = 'give DATABASE_URL the plain login that `npm run db:migrate` makes';

/** What the application's login may do. Row-level security keeps environments apart from a plain login alone. */
export const LOGIN_CHECKS: readonly Check[] = [
  judged('login-superuser', PAGE, 'The login of DATABASE_URL is no superuser', ({ login, isSuperuser }) =>
    isSuperuser
      ? fail(`The login ${login} is, or can become, a superuser, whom row-level security does not bind`, PLAIN_LOGIN)
      : ok(`The login ${login} is no superuser.`),
  ),
  judged('login-bypassrls', PAGE, 'It does not bypass row-level security', ({ login, bypassesRowSecurity }) =>
    bypassesRowSecurity
      ? fail(`The login ${login} has, or can take, BYPASSRLS, so it sees the rows of every environment`, PLAIN_LOGIN)
      : ok(`The login ${login} is bound by row-level security.`),
  ),
  {
    ...judged('login-ownership', PAGE, 'It owns nothing', ({ login, owned }) =>
      owned > 0
        ? fail(`The login ${login} owns ${owned} objects of this database, whose rules it could change`, PLAIN_LOGIN)
        : ok(`The login ${login} owns nothing.`),
    ),
    // A superuser can become every owner, which says nothing more.
    needs: ['postgres', 'login-superuser'],
  },
  judged(
    'login-attributes',
    PAGE,
    'It can make no roles or databases, and does not replicate',
    ({ login, attributes }) =>
      attributes.length > 0
        ? fail(
            `The login ${login} has ${attributes.join(', ')}, which the service does not need`,
            `take it away: ALTER ROLE ${login} ${attributes.map((name) => `NO${name}`).join(' ')}`,
          )
        : ok(`The login ${login} can make no roles or databases, and does not replicate.`),
  ),
  judged('row-security', PAGE, 'Row-level security is forced on every table of tenants', ({ unforcedTables }) =>
    unforcedTables.length > 0
      ? fail(
          `Row-level security is not forced on ${unforcedTables.join(', ')}`,
          'as the owner, ALTER TABLE … ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY, and find out who switched it off',
        )
      : ok('Row-level security is forced on every table of tenants.'),
  ),
];
