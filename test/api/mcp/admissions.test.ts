import { afterAll, beforeAll, expect, it } from 'vitest';
import { setExpensiveWorkPause } from '../../../db/plans/expensive-work.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { TestService } from '../../harness/service.ts';
import { withServiceAndTarget } from '../../harness/service-and-target.ts';
import type { Target } from '../../harness/target.ts';
import { createAction } from '../invocations/support.ts';
import { mcpClients, type ToolReply } from './support.ts';

/** What keeps a caller of the REST API back keeps a caller of `/mcp` back, with the same words. */
let service: TestService;
let target: Target;
let action: string;
withServiceAndTarget((started) => ({ service, target } = started));
const { connect, close } = mcpClients(() => service);
beforeAll(async () => {
  action = await createAction(service, { url: `${target.baseUrl}/ok` }, { governed: true });
});
afterAll(close);

const codeOf = ({ isError, structured }: ToolReply): [boolean | undefined, unknown] => [
  isError,
  (structured['error'] as JsonObject | undefined)?.['code'],
];
const invocation = (): JsonObject => ({ action, input: {} });
const sent = async (): Promise<number> => (await target.requests('/ok')).length;

it('a budget that is spent refuses the call, and nothing is sent', async () => {
  const { key, record } = await service.createKey(service.database.tenant);
  const body = { caps: { invocations: 0, memoryOperations: 0 } };
  const put = await service.call('PUT', `/api/v2/budgets/${record.id}`, { key: service.key, body });
  expect(put.status, put.text).toBe(201);
  const agent = await connect(key);
  const before = await sent();
  expect(codeOf(await agent.tool('invoke_action', invocation()))).toEqual([true, 'BUDGET_EXCEEDED']);
  expect(codeOf(await agent.tool('remember', { content: 'x' }))).toEqual([true, 'BUDGET_EXCEEDED']);
  expect(await sent()).toBe(before);
});

it('expensive work that is paused is refused while it is paused; reading goes on', async () => {
  const agent = await connect(service.key);
  await setExpensiveWorkPause(service.database.db, 'Maintenance.');
  try {
    // The process learns of it by a notification.
    await expect
      .poll(async () => codeOf(await agent.tool('remember', { content: 'x' })), { timeout: 20_000 })
      .toEqual([true, 'EXPENSIVE_WORK_PAUSED']);
    const before = await sent();
    expect(codeOf(await agent.tool('invoke_action', invocation()))).toEqual([true, 'EXPENSIVE_WORK_PAUSED']);
    expect(await sent()).toBe(before);
    expect((await agent.tool('search_actions')).isError).toBeUndefined();
  } finally {
    await setExpensiveWorkPause(service.database.db, null);
  }
});
