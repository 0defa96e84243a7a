import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A notification that somebody has read, with an e-mail, the settings of the workspace, and what a member has muted. */
  async plant(owner, { environmentId: environment_id, workspaceId: workspace_id }) {
    const id = newId('notification');
    const of = { type: 'environment.halted', title: 'Halted', body: 'planted', subject_type: 'environment' };
    await insert(owner, 'notifications', { id, environment_id, ...of, subject_id: environment_id, coalesce_key: id });
    await insert(owner, 'notification_marks', { notification_id: id, environment_id, reader: newId('user') });
    const email = { notification_id: id, environment_id, recipient: 'ops@customer.example', status: 'queued' };
    await insert(owner, 'notification_emails', { id: newId('notificationEmail'), ...email });
    // A workspace has one row; its environments are planted one after the other.
    await owner.query('INSERT INTO notification_settings (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING', [
      workspace_id,
    ]);
    const user_id = newId('user');
    const address = `${user_id.toLowerCase()}@example.com`;
    await insert(owner, 'users', { id: user_id, email: address, name: 'Muted', password_hash: 'none' });
    await insert(owner, 'members', { workspace_id, user_id, role: 'member' });
    await insert(owner, 'notification_mutes', { workspace_id, user_id, types: ['environment.halted'] });
  },
  ofWorkspace: ['notification_settings', 'notification_mutes'],
};
