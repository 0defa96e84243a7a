import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  // An entry extends the workspace's chain, so audit_chains has a row for each workspace too.
  plant: (owner, tenant) =>
    insert(owner, 'audit_log', {
      id: newId('auditEntry'),
      workspace_id: tenant.workspaceId,
      environment_id: tenant.environmentId,
      actor_type: 'system',
      action: 'row.planted',
      target_type: 'row',
      target_id: 'planted',
    }),
  ofWorkspace: ['audit_chains'],
  writtenByDatabase: ['audit_chains'],
};
