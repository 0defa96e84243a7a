import type { Client } from 'pg';
import type { Tenant } from '../../../db/client.ts';
import { newId } from '../../../domain/ids.ts';
import { type PlantedAction, plantAction } from '../actions/planted-rows.ts';
import { plantApproval } from '../approvals/planted-rows.ts';
import { plantEffect } from '../effects/planted-rows.ts';
import { CAPABILITIES, insert } from '../harness/plant.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';
import { plantSchedule } from '../schedules/planted-rows.ts';

/**
 * Records of an environment that live: each call moves one of them on, by statements that the triggers of its table allow. A number chooses which one
 * and how, so that a history can be drawn at random.
 */
export class History {
  private readonly owner: Client;
  private readonly tenant: Tenant;
  private readonly action: PlantedAction;
  private readonly scheduleId: string;
  private readonly invocations: { id: string; effectId: string; status: string; isReversed: boolean }[] = [];
  private readonly messages: { id: string; attempts: number; isOpen: boolean }[] = [];
  private readonly approvals: string[] = [];
  private readonly runs: string[] = [];
  private firings = 0;

  private constructor(owner: Client, tenant: Tenant, action: PlantedAction, scheduleId: string) {
    this.owner = owner;
    this.tenant = tenant;
    this.action = action;
    this.scheduleId = scheduleId;
  }

  static async begin(owner: Client, tenant: Tenant): Promise<History> {
    const scheduleId = await plantSchedule(owner, tenant.environmentId);
    return new History(owner, tenant, await plantAction(owner, tenant), scheduleId);
  }

  /** Admits one, evaluates it, or takes an admission back whose workflow never began. */
  async createInvocation(choice: number): Promise<void> {
    const id = await plantInvocation(this.owner, this.tenant, this.action);
    if (choice % 4 === 0) {
      await this.owner.query('DELETE FROM invocations WHERE id = $1', [id]);
      return;
    }
    const of = { invocationId: id, versionId: this.action.versionId };
    const effectId = await plantEffect(this.owner, this.tenant, of, {
      capabilities: { ...CAPABILITIES, reversible: true },
    });
    const decision = { effect: 'allow', policyId: `pol_${choice % 3}`, version: 1, ruleId: 'r' };
    await this.owner.query(
      'UPDATE invocations SET effect_id = $2, decision = $3, agent_id = $4, evaluated_at = now(), updated_at = now() WHERE id = $1',
      [id, effectId, decision, `agent-${choice % 2}`],
    );
    this.invocations.push({ id, effectId, status: 'queued', isReversed: false });
  }

  /** Sends, settles, resolves or reverses one. */
  async moveInvocation(choice: number): Promise<void> {
    const one = this.invocations[Math.floor(choice / 12) % Math.max(1, this.invocations.length)];
    if (one === undefined) return;
    const [status, source] = nextOf(one, choice);
    if (status === null) return;
    const isOver = status === 'succeeded' || status === 'failed';
    const isReversal = one.status === 'succeeded';
    await this.owner.query(
      `UPDATE effects SET stage = $2, outcome = $3, outcome_source = $4, rejection_reason = $5, updated_at = now(),
         outcome_at = CASE WHEN $3 IN ('succeeded', 'failed', 'unknown') THEN now() ELSE outcome_at END WHERE id = $1`,
      [
        one.effectId,
        status === 'refused' ? 'rejected' : isOver ? 'settled' : status === 'unknown' ? 'reconciling' : 'dispatching',
        status === 'refused' ? 'not_dispatched' : status === 'dispatching' ? 'pending' : status,
        source,
        status === 'refused' ? 'halted' : null,
      ],
    );
    await this.owner.query(
      `UPDATE invocations SET status = $2, outcome_source = $3, refusal_code = $4, refusal_details = CASE WHEN $4::text IS NOT NULL THEN '{}'::jsonb END,
         error = CASE WHEN $4::text IS NOT NULL THEN 'order 42 failed' END, updated_at = now(),
         settled_at = CASE WHEN $5 THEN COALESCE(settled_at, now()) END WHERE id = $1`,
      [
        one.id,
        status,
        source,
        isOver && status === 'succeeded' ? null : codeOf(status),
        isOver || status === 'refused',
      ],
    );
    one.status = status;
    one.isReversed ||= isReversal;
  }

  /** Accepts several in one statement. */
  async acceptMessages(choice: number): Promise<void> {
    const ids = Array.from({ length: 1 + (choice % 5) }, () => newId('message'));
    await this.owner.query(
      `INSERT INTO messages (id, environment_id, retention, url, method, label, max_retries, timeout_seconds, published_by, status, next_attempt_at,
         schedule_id, scheduled_for)
       SELECT id, $2, 'week', 'https://u:p@example.com/hook/' || $3 || '?token=1', 'POST', $4, 5, 30, '{}', $5, now(), $6, $7 FROM unnest($1::text[]) id`,
      [
        ids,
        this.tenant.environmentId,
        String(choice % 3),
        choice % 2 === 0 ? null : `label-${choice % 3}`,
        choice % 3 === 0 ? 'scheduled' : 'pending',
        choice % 4 === 0 ? this.scheduleId : null,
        choice % 3 === 0 ? new Date(Date.now() + 60_000) : null,
      ],
    );
    this.messages.push(...ids.map((id) => ({ id, attempts: 0, isOpen: false })));
  }

  /** Starts an attempt, or ends one; the message is delivered, fails, waits for its retry or is cancelled. */
  async moveMessage(choice: number): Promise<void> {
    const place = Math.floor(choice / 42) % Math.max(1, this.messages.length);
    const one = this.messages[place];
    if (one === undefined) return;
    if (!one.isOpen && choice % 7 === 0) {
      await this.owner.query(`UPDATE messages SET status = 'cancelled', updated_at = now() WHERE id = $1`, [one.id]);
      this.messages.splice(place, 1);
      return;
    }
    if (!one.isOpen && choice % 5 === 4) {
      await this.owner.query('UPDATE messages SET next_attempt_at = now(), updated_at = now() WHERE id = $1', [one.id]);
      return;
    }
    if (!one.isOpen) {
      await this.owner.query(
        `WITH begun AS (UPDATE messages SET status = 'processing', attempts = attempts + 1, updated_at = now() WHERE id = $1 RETURNING *)
         INSERT INTO message_attempts (message_id, number, environment_id, target)
         SELECT id, attempts, environment_id, url_target(url) FROM begun`,
        [one.id],
      );
      one.attempts += 1;
      one.isOpen = true;
      return;
    }
    const end = (['delivered', 'retry', 'failed'] as const)[Math.floor(choice / 2) % 3];
    await this.owner.query(
      `UPDATE message_attempts SET status = 'completed', response_status = $3, failure = $4, latency_ms = $5, error = $6, finished_at = now()
       WHERE message_id = $1 AND number = $2`,
      [
        one.id,
        one.attempts,
        end === 'delivered' ? 200 : choice % 2 === 0 ? 503 : null,
        end === 'delivered' || choice % 2 === 0 ? null : 'timeout',
        choice,
        end === 'delivered' ? null : 'no answer',
      ],
    );
    one.isOpen = false;
    if (end === 'retry') return;
    await this.owner.query(
      `UPDATE messages SET status = '${end}', ${end}_at = now(), updated_at = now() WHERE id = $1`,
      [one.id],
    );
    this.messages.splice(place, 1);
  }

  /** Asks for one, or ends one. */
  async moveApproval(choice: number): Promise<void> {
    const one = choice % 2 === 0 ? undefined : this.approvals.pop();
    if (one === undefined) {
      this.approvals.push(await plantApproval(this.owner, this.tenant));
      return;
    }
    const status = (['expired', 'cancelled', 'invalidated'] as const)[choice % 3];
    await this.owner.query('UPDATE approvals SET status = $2, decided_at = now() WHERE id = $1', [one, status]);
  }

  /** Starts one, changes it, or ends one. */
  async moveRun(choice: number): Promise<void> {
    const one = choice % 3 === 0 ? undefined : this.runs.pop();
    if (one === undefined) {
      const id = newId('run');
      await insert(this.owner, 'runs', {
        id,
        environment_id: this.tenant.environmentId,
        agent_id: `agent-${choice % 2}`,
      });
      this.runs.push(id);
      return;
    }
    if (choice % 3 === 1) {
      await this.owner.query('UPDATE runs SET tokens = $2, agent_id = $3 WHERE id = $1', [one, choice, 'named later']);
      this.runs.unshift(one);
      return;
    }
    const status = (['succeeded', 'failed', 'cancelled'] as const)[Math.floor(choice / 3) % 3];
    await this.owner.query(
      `UPDATE runs SET status = $2, tokens = 7, cost = 0.25, input_tokens = 5, output_tokens = 2, error = $3, ended_at = now() + interval '2 seconds',
         closed_at = now() WHERE id = $1`,
      [one, status, status === 'failed' ? { code: 'boom', message: 'at step 3' } : null],
    );
  }

  /** Queues a firing, publishes one, or a missed slot is fired after all. */
  async moveSchedule(choice: number): Promise<void> {
    this.firings += choice % 2;
    const nominalAt = new Date(Date.UTC(2026, 0, 1) + this.firings * 60_000);
    const outcome = (['queued', 'missed', 'published', 'failed'] as const)[choice % 4] ?? 'queued';
    const error = outcome === 'missed' || outcome === 'failed' ? 'not in time' : null;
    await this.owner.query(
      `INSERT INTO schedule_runs AS r (environment_id, schedule_id, trigger, nominal_at, outcome, message_ids, error_code, error_message, fired_at)
       VALUES ($1, $2, 'manual', $3, $4, $5, $6, $6, clock_timestamp())
       ON CONFLICT (schedule_id, nominal_at, trigger) DO UPDATE SET outcome = EXCLUDED.outcome, message_ids = EXCLUDED.message_ids,
         error_code = EXCLUDED.error_code, error_message = EXCLUDED.error_message, fired_at = EXCLUDED.fired_at
         WHERE r.outcome IN ('queued', 'waiting', 'missed')`,
      [this.tenant.environmentId, this.scheduleId, nominalAt, outcome, outcome === 'published' ? ['msg_1'] : [], error],
    );
  }

  get messageIds(): string[] {
    return this.messages.map(({ id }) => id);
  }
}

function nextOf(one: { status: string; isReversed: boolean }, choice: number): [string | null, string | null] {
  switch (one.status) {
    case 'queued':
      return choice % 4 === 0 ? ['refused', 'system'] : ['dispatching', null];
    case 'dispatching':
      return (
        [
          ['succeeded', 'provider_response'],
          ['failed', 'provider_response'],
          ['unknown', null],
        ] as const
      )[choice % 3] as [string, string | null];
    case 'unknown':
      return choice % 2 === 0 ? ['succeeded', 'provider_lookup'] : ['failed', 'provider_lookup'];
    case 'succeeded':
      return one.isReversed ? [null, null] : ['failed', 'provider_lookup'];
    default:
      return [null, null];
  }
}

function codeOf(status: string): string | null {
  return status === 'dispatching' || status === 'succeeded' ? null : 'planted_reason';
}
