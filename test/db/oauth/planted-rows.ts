import { randomBytes } from 'node:crypto';
import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A grant of somebody. */
  async plant(owner, { workspaceId: workspace_id, environmentId: environment_id }) {
    const user_id = newId('user');
    const email = `${user_id}@example.test`.toLowerCase();
    await insert(owner, 'users', { id: user_id, email, name: 'Grace', password_hash: 'none' });
    await insert(owner, 'oauth_grants', {
      id: newId('connectedApp'),
      user_id,
      workspace_id,
      environment_id,
      client_id: 'https://agent.example/client.json',
      client_name: 'Agent',
      resource: 'mcp',
      scopes: ['actions:read'],
      openid: false,
      request_hash: randomBytes(32),
      expires_at: new Date(),
    });
  },
  heldElsewhere: {
    oauth_artifacts: 'reached by functions of the directory alone: test/db/oauth/rules.test.ts',
    oauth_clients: 'the same: test/db/oauth/rules.test.ts',
    oauth_signing_keys: 'the same, of the installation: test/db/oauth/rules.test.ts',
  },
};
