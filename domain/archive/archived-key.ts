import { ServiceError } from '../errors.ts';

/** What the database keeps of an archived invocation. */
export interface ArchivedKey {
  invocationId: string;
  effectId: string | null;
  requestDigest: string;
  grade: string;
  /** ISO 8601 in UTC. */
  settledAt: string;
  archive: string;
}

/** The answer to a request whose operation key an archived invocation has. It is never sent again. */
export function usedByArchived(key: ArchivedKey, requestDigest: string): ServiceError {
  const { invocationId } = key;
  if (key.requestDigest !== requestDigest)
    return new ServiceError('OPERATION_KEY_REUSE', { details: { invocationId } });
  const { effectId, grade, settledAt, archive } = key;
  return new ServiceError('CONFLICT', {
    message: `This request was made before, as invocation ${invocationId}. It ended ${endOf(key)}, and is never sent again. ${placeOf(key)}`,
    details: { invocationId, effectId, grade, settledAt, archive },
  });
}

/** The message of a 404 of what was there. */
export function archivedText(what: 'invocation' | 'effect', key: ArchivedKey): string {
  return `This ${what} ended ${endOf(key)}. ${placeOf(key)}`;
}

function endOf({ grade, settledAt }: ArchivedKey): string {
  return `on ${settledAt.slice(0, 10)} with the grade ${grade}`;
}

function placeOf({ archive }: ArchivedKey): string {
  return `Its record has left the database and is in the archive ${archive}: ask who operates this service.`;
}
