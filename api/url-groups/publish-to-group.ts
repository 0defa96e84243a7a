import { z } from 'zod';
import { BUDGET_ERRORS } from '../../domain/budgets.ts';
import { isId } from '../../domain/ids.ts';
import { notFound } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { publishToGroupBody } from '../messages/body-schemas.ts';
import { publish } from '../messages/publish.ts';
import { publishedSchema } from '../messages/schemas.ts';
import { groupParams } from './schemas.ts';

const published = z.array(publishedSchema);

export const publishToGroupRoute = defineRoute({
  of: 'environment',
  id: 'urlGroups.publish',
  method: 'POST',
  path: '/api/v2/url-groups/{groupId}/publish',
  summary: 'Publish to all endpoints of a URL group',
  description:
    'As publish of a message does with `urlGroup`: one message for each endpoint that the group has now, all or none, in the order of ' +
    'its endpoints. 200 only where each was there already (`deduplicated`). A group without endpoints answers 409.',
  scope: 'url-groups:write',
  request: { params: groupParams, body: publishToGroupBody },
  response: { 200: published, 201: published },
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE', 'QUOTA_EXCEEDED', ...BUDGET_ERRORS],
  idempotent: true,
  async change(tx, { params: { groupId }, body, ...ctx }) {
    // By its id only: a name belongs into `urlGroup`.
    if (!isId('urlGroup', groupId)) throw notFound('URL group');
    const done = await publish(tx, ctx, { ...body, urlGroup: groupId });
    return { ...done, reply: { status: done.reply.status, data: [done.reply.data].flat() } };
  },
});
