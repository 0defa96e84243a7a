import type { Database } from '../client.ts';
import { listEffectIds } from '../effects/list-effect-ids.ts';
import { verifyReceipts } from '../effects/verify-receipts.ts';
import { listEveryEnvironment } from '../environments/list-every-environment.ts';
import { verifyAuditChain } from './verify-audit-chain.ts';

export interface ChainsState {
  workspaces: number;
  auditEntries: number;
  /** Zero where receipts were not verified. */
  effects: number;
  /** One line for each fault, with its location. */
  breaks: string[];
}

/** The number of effects in one statement; a statement's time is limited. */
export const EFFECTS_AT_ONCE = 200;

/** Recomputes the audit chain of every workspace and, on request, the receipt of every effect. Writes nothing. */
export async function verifyChains(db: Database, options: { receipts: boolean }): Promise<ChainsState> {
  const tenants = await listEveryEnvironment(db);
  const state: ChainsState = { workspaces: 0, auditEntries: 0, effects: 0, breaks: [] };
  for (const workspaceId of new Set(tenants.map((tenant) => tenant.workspaceId))) {
    const { entries, breaks } = await verifyAuditChain(db, workspaceId);
    state.workspaces += 1;
    state.auditEntries += entries;
    for (const { sequence, kind } of breaks) state.breaks.push(`workspace ${workspaceId}, entry ${sequence}: ${kind}`);
  }
  if (!options.receipts) return state;
  for (const tenant of tenants) {
    let effectIds: string[] = [];
    do {
      const after = effectIds.at(-1) ?? '';
      effectIds = await db.withEnvironment(tenant, (tx) => listEffectIds(tx, after, EFFECTS_AT_ONCE));
      for (const { effectId, brokenAt } of await db.withEnvironment(tenant, (tx) => verifyReceipts(tx, effectIds))) {
        state.effects += 1;
        if (brokenAt === null) continue;
        const where = [`entry ${brokenAt.sequence ?? '(none)'}`, brokenAt.kind, brokenAt.recordId].filter(
          (word) => word !== null,
        );
        state.breaks.push(
          `environment ${tenant.environmentId}, effect ${effectId}, ${where.join(', ')}: ${brokenAt.problem}`,
        );
      }
    } while (effectIds.length === EFFECTS_AT_ONCE);
  }
  return state;
}
