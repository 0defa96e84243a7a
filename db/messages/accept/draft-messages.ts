import { ServiceError } from '../../../domain/errors.ts';
import type { PublishRequest } from '../../../domain/messages/publish-request.ts';
import type { EnvironmentTransaction } from '../../client.ts';
import { findUrlGroups } from '../../url-groups/find-url-groups.ts';
import type { MessageDraft } from './message-candidate.ts';

/**
 * The messages that each request asks for: one for its URL, or one for each endpoint of its URL group as it is now. A request to a group
 * that is not there, or has no endpoints, gets the error instead.
 */
export async function draftMessages(
  tx: EnvironmentTransaction,
  requests: readonly PublishRequest[],
): Promise<(MessageDraft[] | ServiceError)[]> {
  const refs = requests.flatMap(({ urlGroup }) => (urlGroup === undefined ? [] : [urlGroup]));
  const groups = await findUrlGroups(tx, refs);
  return requests.map((request) => {
    if (request.urlGroup === undefined) return [{ request }];
    const endpoints = groups.get(request.urlGroup);
    if (endpoints === undefined) throw new Error(`URL group ${request.urlGroup} was asked for and not looked up`);
    return endpoints instanceof ServiceError ? endpoints : endpoints.map((endpoint) => ({ request, endpoint }));
  });
}

/** The same for one request; throws the error. */
export async function draftsOf(tx: EnvironmentTransaction, request: PublishRequest): Promise<MessageDraft[]> {
  const [drafts] = await draftMessages(tx, [request]);
  if (drafts === undefined) throw new Error('a request was drafted without a result');
  if (drafts instanceof ServiceError) throw drafts;
  return drafts;
}
