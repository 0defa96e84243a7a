import type { TestService } from '../../harness/service.ts';
import { idOf, LARGE, type ListDeclarations } from '../http/list-declarations.ts';

async function plantLargeRun(service: TestService): Promise<{ id: string }> {
  const large = { large: LARGE };
  const id = idOf(await service.post('/api/v2/runs', { name: 'large', input: LARGE, metadata: large }));
  const span = { id: '00f067aa0ba902b7', name: 'large', input: LARGE, output: LARGE, attributes: large, error: large };
  idOf(await service.post(`/api/v2/runs/${id}/spans`, { spans: [span] }));
  const ended = { key: service.key, body: { output: LARGE, error: large } };
  idOf(await service.call('PATCH', `/api/v2/runs/${id}`, ended));
  return { id };
}

export const lists: ListDeclarations = {
  'runs.list': {
    whole: { tags: 'fifty of a hundred characters' },
    cut: {
      plant: plantLargeRun,
      members: [{ member: 'input' }, { member: 'output' }, { member: 'metadata' }, { member: 'error' }],
      record: ({ id }) => `/api/v2/runs/${id}`,
    },
  },
  'runs.spans.list': {
    cut: {
      plant: plantLargeRun,
      members: [{ member: 'input' }, { member: 'output' }, { member: 'attributes' }, { member: 'error' }],
      record: ({ id: spanId }, { id }) => `/api/v2/runs/${id}/spans/${spanId}`,
    },
  },
};
