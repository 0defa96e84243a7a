import { z } from 'zod';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { requireTopic } from '../../db/events/topics.ts';
import { findUrlGroups } from '../../db/url-groups/find-url-groups.ts';
import type { Warning, WarningCode } from '../../domain/actions/warnings.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { PublishRequest } from '../../domain/messages/publish-request.ts';
import { warningSchema } from '../actions/warnings.ts';
import type { Caller } from '../http/define-route.ts';
import { missingMessage } from '../http/failures.ts';
import { scheduleSchema } from './schemas.ts';

/** A schedule as the request that wrote it is answered. */
export const writtenScheduleSchema = scheduleSchema
  .extend({ warnings: z.array(warningSchema).describe('What may be wrong with the schedule that was written.') })
  .meta({ id: 'WrittenSchedule' });

/**
 * What a destination names and nobody can publish to now: the next firing would fail. It is no error, because a group or a topic may be
 * created after the schedule. Near names are told to a caller who may list them.
 */
export async function warningsOfDestination(
  tx: EnvironmentTransaction,
  caller: Caller,
  { urlGroup, topic }: Pick<PublishRequest, 'urlGroup' | 'topic'>,
): Promise<Warning[]> {
  const warnings: Warning[] = [];
  if (urlGroup !== undefined) {
    const found = (await findUrlGroups(tx, [urlGroup])).get(urlGroup);
    if (found instanceof ServiceError) {
      const code: WarningCode = found.code === 'NOT_FOUND' ? 'url_group_missing' : 'url_group_empty';
      warnings.push({ path: 'destination.urlGroup', code, message: messageOf(found, caller) });
    }
  }
  if (topic !== undefined) {
    try {
      await requireTopic(tx, topic);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      warnings.push({ path: 'destination.topic', code: 'topic_missing', message: messageOf(error, caller) });
    }
  }
  return warnings;
}

function messageOf({ missing, publicMessage }: ServiceError, caller: Caller): string {
  return (missing === undefined ? null : missingMessage(missing, caller)) ?? publicMessage;
}
