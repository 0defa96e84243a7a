import { REDIRECT_SCHEMES_DEFAULT } from '../oauth/redirect-schemes.ts';
import { redirectSchemesSchema } from './schemas.ts';
import type { Variable } from './variable.ts';

/** What apps that connect by OAuth may have: docs/oauth.md. */
export const OAUTH = {
  OAUTH_REDIRECT_SCHEMES: {
    meaning:
      'Comma-separated schemes of apps that OAuth redirects may have, beside https, http on the loopback and reversed domain names such as `com.example.app`. Empty: no others.',
    default: REDIRECT_SCHEMES_DEFAULT.join(','),
    processes: ['api', 'embedded'],
    schema: redirectSchemesSchema,
  },
} as const satisfies Record<string, Variable>;
