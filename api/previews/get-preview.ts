import { getPreview } from '../../db/previews/queries.ts';
import type { PreviewRecord } from '../../db/previews/records.ts';
import { notFound } from '../../domain/errors.ts';
import { type BearerCaller, defineRoute } from '../http/define-route.ts';
import { lacksScope } from '../http/rights.ts';
import { presentPreview, previewParams, previewSchema } from './schemas.ts';

export const getPreviewRoute = defineRoute({
  of: 'environment',
  id: 'previews.get',
  method: 'GET',
  path: '/api/v2/actions/previews/{id}',
  summary: 'Get a preview',
  description:
    'A preview never changes; `expired` and `effectId` say what became of it. Previews that the service made for an ' +
    'approval are shown too. A key that has `actions:invoke` and not `actions:read` can read the previews that it made ' +
    'itself.',
  scope: 'actions:read',
  ownWithScope: 'actions:invoke',
  role: 'member',
  request: { params: previewParams },
  response: { 200: previewSchema },
  async read(tx, { params, caller }) {
    const preview = await getPreview(tx, params.id);
    // Another's preview looks like a missing one to such a key.
    if (caller.type !== 'session' && !caller.scopes.has('actions:read') && !isMadeBy(preview, caller)) {
      throw lacksScope('actions:read', caller);
    }
    if (!preview) throw notFound('preview');
    return presentPreview(preview);
  },
});

/** A preview made by the service for an approval is not the requester's, although it names them. */
function isMadeBy(preview: PreviewRecord | null, caller: BearerCaller): boolean {
  if (preview?.madeBy !== 'caller') return false;
  const { type, id, clientId } = preview.createdBy;
  if (caller.type === 'api_key') return type === 'api_key' && id === caller.keyId;
  return type === 'user' && id === caller.userId && clientId === caller.clientId;
}
