import { getPreview } from '../../db/previews/get-preview.ts';
import { notFound } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { presentPreview, previewParams, previewSchema } from './schemas.ts';

export const getPreviewRoute = defineRoute({
  id: 'previews.get',
  method: 'GET',
  path: '/api/v2/actions/previews/{id}',
  summary: 'Get a preview',
  description:
    'Also of those that the service made for an approval. A preview never changes; `expired` and `effectId` tell what became of it.',
  scope: 'actions:read',
  role: 'member',
  request: { params: previewParams },
  response: { 200: previewSchema },
  errors: ['NOT_FOUND'],
  async read(tx, { params }) {
    const preview = await getPreview(tx, params.id);
    if (!preview) throw notFound('preview');
    return presentPreview(preview);
  },
});
