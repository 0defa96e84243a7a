import { deleteExpiredLinkCodes, deleteOldClicks } from '../../db/integrations/directory.ts';
import type { SweepStep } from './sweep-steps.ts';
import { untilNone } from './until-none.ts';

/** Deletes clicks that no chat can send again, and link codes that nobody redeemed in time. */
export const EXPIRED_CHAT_STEPS: Readonly<Record<string, SweepStep>> = {
  delete_clicks: ({ db }, budget) => untilNone(budget, () => deleteOldClicks(db)),
  delete_link_codes: ({ db }, budget) => untilNone(budget, () => deleteExpiredLinkCodes(db)),
};
