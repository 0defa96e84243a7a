import { randomUUID } from 'node:crypto';
import { DIGEST, insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  plant: (owner, { environmentId: environment_id }) =>
    insert(owner, 'idempotency_claims', {
      environment_id,
      key: 'planted',
      request_digest: DIGEST,
      holder: randomUUID(),
      lease_expires_at: new Date(),
      expires_at: new Date(),
    }),
  writtenBeside: { idempotency_claims: null },
};
