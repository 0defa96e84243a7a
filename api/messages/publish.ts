import type { EnvironmentTransaction } from '../../db/client.ts';
import { acceptMessages, type Published } from '../../db/messages/accept/accept-messages.ts';
import { draftsOf, type MessageDraft } from '../../db/messages/accept/candidates.ts';
import type { PublishRequest } from '../../domain/messages/publish-request.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Actor, Caller, WorkDependencies } from '../http/define-route.ts';
import { publisherOf } from './publisher.ts';
import { presentPublished } from './schemas.ts';
import { startScheduled } from './start-scheduled.ts';

/** The `change` of a route that publishes one request: to a URL, or to all endpoints of a URL group. */
export async function publish(
  tx: EnvironmentTransaction,
  {
    caller,
    actor,
    deps,
    nothingFollows,
  }: { caller: Caller; actor: Actor; deps: WorkDependencies; nothingFollows: boolean },
  request: PublishRequest,
) {
  const drafts = await draftsOf(tx, request);
  const published = await acceptMessages(tx, deps.vault, publisherOf(caller, actor), drafts, {
    commits: nothingFollows,
  });
  const status = published.every((message) => message.deduplicated) ? 200 : 201;
  return {
    reply: { status, data: resultOf(drafts, published) },
    audit: 'none: a message is a record of its own, which names its publisher' as const,
    after: (all: ApiDependencies) => startScheduled(all, caller, published),
  };
}

type Shown = ReturnType<typeof presentPublished>;

/** As the reply shows what a request came to: an array where it names a URL group, of one endpoint too. */
export function resultOf(drafts: readonly MessageDraft[], published: Published[]): Shown | Shown[] {
  const [first] = published;
  if (first === undefined || published.length !== drafts.length)
    throw new Error('a message was accepted without a result');
  return drafts[0]?.endpoint === undefined ? presentPublished(first) : published.map(presentPublished);
}
