import type { Decision } from '../../domain/approvals/approval.ts';
import type { Principal } from '../../domain/approvals/terms.ts';
import type { ChatAuthentication } from '../../domain/integrations/integrations.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { AppAuthentication, Authentication } from './records.ts';

export interface NewDecision {
  approvalId: string;
  decision: Decision;
  note: string | null;
  bindingDigest: string;
  principal: Principal;
  /** The session that decided; null for a key. */
  sessionId: string | null;
  /** The chat user, linked to the member, who decided; none for a key and for a session. */
  chat?: ChatAuthentication | null;
  /** The app that decided in the name of the member; none for the others. */
  app?: AppAuthentication | null;
}

/**
 * Appends a decision. A trigger ends the approval where the decision is a denial or fills the quorum. Returns false where this
 * principal has decided before with the same key, through the same app, or without one. The caller holds the approval's lock.
 */
export async function addDecision(tx: EnvironmentTransaction, decision: NewDecision): Promise<boolean> {
  const { principal, sessionId, chat = null, app = null } = decision;
  const authentication: Authentication =
    principal.type === 'api_key'
      ? { keyName: principal.keyName }
      : {
          role: principal.role,
          email: principal.email,
          ...(sessionId === null ? {} : { sessionId }),
          ...(chat === null ? {} : { chat }),
          ...(app === null ? {} : { app }),
        };
  const { rows } = await tx.raw<{ rows: { approval_id: string }[] }>(
    `INSERT INTO approval_decisions (approval_id, actor_type, actor_id, environment_id, decision, note, binding_digest, authentication, decided_at)
     VALUES (:approvalId, :actorType, :actorId, current_environment_id(), :decision, :note, :bindingDigest, :authentication, clock_timestamp())
     ON CONFLICT DO NOTHING RETURNING approval_id`,
    {
      approvalId: decision.approvalId,
      actorType: principal.type,
      actorId: principal.id,
      decision: decision.decision,
      note: decision.note,
      bindingDigest: decision.bindingDigest,
      authentication: JSON.stringify(authentication),
    },
  );
  return rows.length > 0;
}
