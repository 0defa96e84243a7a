import { ServiceError } from '../../domain/errors.ts';
import type { HttpContext } from './context.ts';
import type { AnyRoute } from './define-route.ts';

/** Refuses a caller who accepts nothing that the route answers: JSON, and CSV where the route has it. */
export function requireAcceptable({ csv }: AnyRoute, ctx: HttpContext): void {
  if (ctx.accepts(csv === true ? ['json', 'csv'] : ['json']) !== false) return;
  throw new ServiceError(
    'NOT_ACCEPTABLE',
    csv === true ? { message: 'This route answers application/json and text/csv.' } : {},
  );
}
