import type { ErrorCode } from '../errors.ts';
import type { RefusalCode } from '../refusals.ts';

/** Routes of generated pages. The last part of a code's route is the code itself. */

export const OPERATIONS_ROUTE = '/reference/operations';

export function operationRoute(operationId: string): string {
  return `${OPERATIONS_ROUTE}/${operationId}`;
}

export function errorRoute(code: ErrorCode): string {
  return `/reference/errors/${code}`;
}

export function refusalRoute(code: RefusalCode): string {
  return `/reference/refusals/${code}`;
}

export function warningRoute(code: string): string {
  return `/reference/warnings/${code}`;
}
