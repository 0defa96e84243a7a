import type { TestService } from '../../harness/service.ts';
import { LARGE, type ListDeclarations } from '../http/list-declarations.ts';
import { createAction } from '../invocations/support.ts';

/** What bounds the impact of an action, and of its effects and approvals. */
export const BOUNDED_BY_ACTION = 'bounded in the definition of an action';

const LARGE_VERIFY = `UPDATE action_versions SET definition = definition || jsonb_build_object('verify',
  jsonb_build_object('request', jsonb_build_object('method', 'GET', 'url', $LARGE ->> 'large'), 'expect', '[]'::jsonb))`;

/** The id of an action that waits for approval, with a large config and schemas. */
export function plantLargeAction(service: TestService): Promise<string> {
  const schema = { type: 'object', description: LARGE.slice(0, 2_000), properties: { a: { description: LARGE } } };
  const config = { url: 'https://example.com/', body: LARGE };
  return createAction(service, config, { approval: { required: true }, inputSchema: schema, outputSchema: schema });
}

export const lists: ListDeclarations = {
  'actions.list': {
    whole: { impact: BOUNDED_BY_ACTION },
    cut: {
      plant: async (service) => ({ ref: await plantLargeAction(service) }),
      members: [
        { member: 'adapter.config' },
        { member: 'inputSchema' },
        { member: 'outputSchema' },
        { member: 'verify', sql: LARGE_VERIFY },
      ],
      record: ({ id }) => `/api/v2/actions/${id}`,
    },
  },
  'actions.versions.list': {
    whole: { 'definition.impact': BOUNDED_BY_ACTION },
    cut: {
      plant: async (service) => ({ ref: await plantLargeAction(service) }),
      members: [
        { member: 'definition.adapter.config' },
        { member: 'definition.inputSchema' },
        { member: 'definition.outputSchema' },
        { member: 'definition.verify', sql: LARGE_VERIFY },
      ],
      record: ({ number }, { ref }) => `/api/v2/actions/${ref}/versions/${number}`,
    },
  },
};
