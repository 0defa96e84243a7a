import type { PlantedArea } from '../harness/plant.ts';

const OF_A_USER = 'of a user, not of a workspace: test/db/passkeys/passkeys.test.ts';

export const rows: PlantedArea = {
  plant: () => Promise.resolve(),
  heldElsewhere: { passkeys: OF_A_USER, recovery_codes: OF_A_USER, passkey_challenges: OF_A_USER },
};
