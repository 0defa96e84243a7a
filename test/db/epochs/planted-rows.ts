import type { PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  plant: () => Promise.resolve(),
  heldElsewhere: { database_epochs: 'of the installation: test/db/epochs/epochs.test.ts' },
};
