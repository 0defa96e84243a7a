import { newId } from '../../../domain/ids.ts';
import { newIntegrationId } from '../../../domain/integrations/integrations.ts';
import { plantApproval } from '../approvals/planted-rows.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** An integration with a link, a code, a post and a click. */
  async plant(owner, tenant) {
    const { environmentId: environment_id } = tenant;
    const [integration_id, user_id] = [newIntegrationId(), newId('user')];
    await insert(owner, 'users', {
      id: user_id,
      email: `${user_id}@example.test`.toLowerCase(),
      name: 'Grace',
      password_hash: 'none',
    });
    await insert(owner, 'integrations', {
      id: integration_id,
      environment_id,
      provider: 'slack',
      name: 'planted',
      account_id: 'T0',
      account_name: 'planted',
      takes_clicks: true,
      master_key_version: 1,
      wrapped_data_key: Buffer.alloc(1),
      sealed_value: Buffer.alloc(1),
    });
    await insert(owner, 'chat_links', {
      integration_id,
      chat_user_id: 'U0',
      environment_id,
      chat_user_name: 'grace',
      user_id,
    });
    await insert(owner, 'chat_link_codes', {
      integration_id,
      chat_user_id: 'U1',
      environment_id,
      chat_user_name: 'grace',
      code_hash: Buffer.alloc(32),
      expires_at: new Date(),
    });
    const approval_id = await plantApproval(owner, tenant);
    await insert(owner, 'chat_posts', { approval_id, integration_id, environment_id, status: 'posted' });
    await insert(owner, 'chat_clicks', { integration_id, request_hash: Buffer.alloc(32), environment_id, answer: {} });
  },
};
