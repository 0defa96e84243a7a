import {
  deleteEndedGrants,
  deleteExpiredArtifacts,
  deleteUnusedClients,
  findEndedGrants,
  findExpiredArtifacts,
  findUnusedClients,
} from '../../db/oauth/expired.ts';
import type { SweepArea } from './sweep-rows.ts';

/** Deletes codes, tokens and authorization requests that expired. */
export const expiredOAuthArtifacts: SweepArea<string> = {
  find: (deps, page) => findExpiredArtifacts(deps.db, page),
  idOf: (id) => id,
  mend: (deps, ids) => deleteExpiredArtifacts(deps.db, ids),
  batchSize: 1_000,
};

/** Deletes apps that registered themselves and that nobody has connected: anybody may register one. */
export const unusedOAuthClients: SweepArea<string> = {
  find: (deps, page) => findUnusedClients(deps.db, page),
  idOf: (id) => id,
  mend: (deps, ids) => deleteUnusedClients(deps.db, ids),
  batchSize: 1_000,
};

/** Deletes grants 90 days after their end. */
export const endedOAuthGrants: SweepArea<string> = {
  find: (deps, page) => findEndedGrants(deps.db, page),
  idOf: (id) => id,
  mend: (deps, ids) => deleteEndedGrants(deps.db, ids),
  batchSize: 1_000,
};
