import { storeEntry } from '../../db/cache/lookups.ts';
import { refuseFullStorage } from '../../db/plans/allowances.ts';
import { tokensOf, TTL_SECONDS_DEFAULT } from '../../domain/cache/cache.ts';
import { newId } from '../../domain/ids.ts';
import { defineRoute } from '../http/define-route.ts';
import { identityOf } from './identity.ts';
import { entrySchema, presentEntry, storeBody } from './schemas.ts';

export const storeEntryRoute = defineRoute({
  of: 'environment',
  id: 'cache.store',
  method: 'POST',
  path: '/api/v2/cache',
  summary: 'Store an answer',
  description:
    'For prompts that are the same or near enough, of the same namespace, model, system prompt, tools and attributes. Storing the same prompt ' +
    'again replaces the entry. A response that names an invocation, an effect or an approval is refused: what an action did is never answered ' +
    'from the cache.',
  scope: 'cache:write',
  request: { body: storeBody },
  response: { 201: entrySchema },
  errors: ['QUOTA_EXCEEDED'],
  expensive: true,
  prepare: ({ body, caller, deps }) => deps.embedder.embed([body.prompt], { workspaceId: caller.tenant.workspaceId }),
  async change(tx, { body }, { model, vectors: [vector] }) {
    if (vector === undefined) throw new Error('each text has a vector');
    const { entry, replacedId } = await storeEntry(tx, {
      ...identityOf(body),
      id: newId('cacheEntry'),
      prompt: body.prompt,
      response: body.response,
      tokens: tokensOf(typeof body.response === 'string' ? body.response : JSON.stringify(body.response)),
      embeddingModel: model,
      vector,
      ttlSeconds: body.ttlSeconds ?? TTL_SECONDS_DEFAULT,
    });
    await refuseFullStorage(tx);
    return {
      reply: { status: 201, data: presentEntry(entry) },
      audit:
        replacedId === null
          ? 'none: an entry is a copy of an answer, which anybody may make again'
          : {
              action: 'cache_entry.replaced',
              target: { type: 'cache_entry', id: entry.id },
              details: { replaced: replacedId, namespace: entry.namespace },
            },
    };
  },
});
