import { z } from 'zod';
import { validationError } from '../../domain/errors.ts';
import { queryBoolean } from './pagination.ts';

const CONFIRMATION = 'In a protected environment send `confirmProtected: true`, as query parameter or in a JSON body.';

/** What a deletion asks for in a protected environment, for its declaration. */
export const confirmProtected = {
  description: CONFIRMATION,
  query: z.strictObject({ confirmProtected: queryBoolean.optional().describe(CONFIRMATION) }),
  body: z.strictObject({ confirmProtected: z.boolean().optional().describe(CONFIRMATION) }).optional(),
};

type Given = { confirmProtected?: boolean | undefined } | undefined;

export function isConfirmed(query: Given, body: Given): boolean {
  return query?.confirmProtected === true || body?.confirmProtected === true;
}

/** The error of a deletion that was not confirmed. `what` is the thing in a word: `secret`. */
export function refuseUnconfirmed(what: string, environment: string): Error {
  const message = `The environment "${environment}" is protected. To delete this ${what} for good, send confirmProtected=true as a query parameter, or {"confirmProtected": true} as the JSON body.`;
  return validationError(
    [{ path: 'query.confirmProtected', message: 'must be true in a protected environment' }],
    message,
  );
}
