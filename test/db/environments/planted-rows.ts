import type { PlantedArea } from '../harness/plant.ts';

/** Each tenant of a test is a workspace with its environments, so there is nothing to plant. */
export const rows: PlantedArea = { plant: () => Promise.resolve(), ofWorkspace: ['environments'] };
