import { z } from 'zod';
import type { EndpointRecord, UrlGroupRecord, UrlGroupWithEndpoints } from '../../db/url-groups/url-groups.ts';
import {
  ENDPOINT_NAME_CHARACTERS_MAX,
  ENDPOINT_RETRIES_MAX,
  ENDPOINTS_PER_GROUP_MAX,
  GROUP_NAME_CHARACTERS_MAX,
  groupNameIssue,
} from '../../domain/url-groups/url-groups.ts';
import { destinationUrl } from '../messages/body-schemas.ts';

/** URL groups as requests and replies show them: docs/url-groups.md. */
const name = z
  .string()
  .trim()
  .min(1)
  .max(GROUP_NAME_CHARACTERS_MAX)
  .superRefine((text, context) => {
    const message = groupNameIssue(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .describe('Unique in its environment. A publish request names the group by it, or by its id.');

const endpointFields = {
  url: destinationUrl.describe('Where its messages are delivered to: http or https. Once in a group.'),
  name: z.string().trim().min(1).max(ENDPOINT_NAME_CHARACTERS_MAX).nullable().default(null),
  retryCount: z
    .int()
    .min(0)
    .max(ENDPOINT_RETRIES_MAX)
    .nullable()
    .default(null)
    .describe('Overrides the `maxRetries` of a publish request. Null: the request decides.'),
};

export const endpointBody = z.strictObject(endpointFields).meta({ id: 'UrlGroupEndpointRequest' });

export const createGroupBody = z.strictObject({
  name,
  endpoints: z.array(endpointBody).max(ENDPOINTS_PER_GROUP_MAX).default([]),
});

export const renameGroupBody = z.strictObject({ name });

export const groupParams = z.strictObject({
  groupId: z.string().min(1).max(100).describe('Id of the group, `grp_…`.'),
});
export const endpointParams = groupParams.extend({
  endpointId: z.string().min(1).max(100).describe('Id of the endpoint, a UUID.'),
});

export const listGroupsQuery = z.strictObject({
  name: z.string().min(1).max(GROUP_NAME_CHARACTERS_MAX).optional().describe('The name, exactly.'),
});

const dateTime = z.iso.datetime();

export const endpointSchema = z
  .strictObject({
    id: z.uuid(),
    url: z.string().meta({ format: 'uri' }),
    name: z.string().nullable(),
    retryCount: z.int().min(0).max(ENDPOINT_RETRIES_MAX).nullable(),
    createdAt: dateTime,
  })
  .meta({ id: 'PublicUrlGroupEndpoint' });

export const groupSchema = z
  .strictObject({
    groupId: z.string().regex(/^grp_/),
    name: z.string(),
    endpointCount: z.int().min(0),
    createdAt: dateTime,
    updatedAt: dateTime,
  })
  .meta({ id: 'PublicUrlGroup' });

export const groupWithEndpointsSchema = groupSchema
  .extend({ endpoints: z.array(endpointSchema).describe('In the order in which they were added.') })
  .meta({ id: 'PublicUrlGroupWithEndpoints' });

export function presentGroup({ id, createdAt, updatedAt, ...rest }: UrlGroupRecord): z.input<typeof groupSchema> {
  return { groupId: id, ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

export function presentEndpoint({ createdAt, ...rest }: EndpointRecord): z.input<typeof endpointSchema> {
  return { ...rest, createdAt: createdAt.toISOString() };
}

export function presentGroupWithEndpoints({
  endpoints,
  ...group
}: UrlGroupWithEndpoints): z.input<typeof groupWithEndpointsSchema> {
  return { ...presentGroup(group), endpoints: endpoints.map(presentEndpoint) };
}
