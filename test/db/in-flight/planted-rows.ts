import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  async plant(owner, tenant) {
    await insert(owner, 'lane_places', {
      environment_id: tenant.environmentId,
      workspace_id: tenant.workspaceId,
      kind: 'dispatch',
      holder: 'inv_planted',
      asked_at: new Date(),
      is_taken: true,
      expires_at: new Date(Date.now() + 60_000),
    });
  },
  writtenByDatabase: ['lane_places'],
  writtenBeside: { lane_places: null },
};
