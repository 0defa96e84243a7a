import type { z } from 'zod';
import { fireSlot } from '../../../activities/schedules/fire-slot.ts';
import { tellSchedule } from '../../../activities/schedules/tell-schedule.ts';
import { runSchema } from '../../../api/schedules/schemas.ts';
import { writtenScheduleSchema } from '../../../api/schedules/warnings.ts';
import type { EventRef } from '../../../domain/events/events.ts';
import type { MessageRef } from '../../../domain/messages/messages.ts';
import type { Fired, RunTrigger } from '../../../domain/schedules/schedules.ts';
import { Vault } from '../../../db/secrets/vault.ts';
import type { CallResult, TestApi } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';

/** As reads show it, or as the request that wrote it is answered. */
const scheduleSchema = writtenScheduleSchema.partial({ warnings: true });
export type Schedule = z.infer<typeof scheduleSchema>;
export type Run = z.infer<typeof runSchema>;

export const scheduleIn = (reply: CallResult): Schedule => dataOf(reply, scheduleSchema);

export const testVault = (): Vault => Vault.fromMasterKeys(`1:${Buffer.alloc(32, 7).toString('base64')}`);

/** Schedules of one API, and their firings without Temporal: the activity is called as its workflow would. */
export class Schedules {
  readonly forgotten: string[] = [];
  /** Messages whose workflow was started: it keeps their time. */
  readonly started: string[] = [];
  /** Events whose fan-out a firing has started. */
  readonly fannedOut: string[] = [];
  /** How often the pacer of the environment was notified. */
  paced = 0;
  private readonly api: TestApi;
  private readonly key: string;
  private readonly fire: ReturnType<typeof fireSlot>;

  constructor(api: TestApi, key: string, vault: Vault) {
    [this.api, this.key] = [api, key];
    const forgetSchedule = (scheduleId: string): Promise<void> => Promise.resolve(void this.forgotten.push(scheduleId));
    const putSchedule = (): never => {
      throw new Error('no firing makes a schedule');
    };
    const wakeMessage = ({ messageId }: MessageRef): Promise<void> =>
      Promise.resolve(void this.started.push(messageId));
    const paceMessages = (): Promise<void> => Promise.resolve(void (this.paced += 1));
    const fanOutEvent = ({ eventId }: EventRef): Promise<void> => Promise.resolve(void this.fannedOut.push(eventId));
    const { db, logger } = api.deps;
    this.fire = fireSlot({
      db,
      logger,
      vault,
      forgetSchedule,
      putSchedule,
      wakeMessage,
      paceMessages,
      fanOutEvent,
    });
  }

  async create(body: Record<string, unknown>): Promise<Schedule> {
    const destination = { url: 'https://shop.example/hook', body: { report: 'daily' } };
    const sent = { cron: '0 * * * *', destination, ...body };
    return scheduleIn(await this.api.call('POST', '/api/v2/schedules', { key: this.key, body: sent }));
  }

  async call(method: string, path: string, body?: unknown): Promise<CallResult> {
    return this.api.call(method, `/api/v2/schedules${path}`, {
      key: this.key,
      ...(body === undefined ? {} : { body }),
    });
  }

  /** Halts or resumes the environment. */
  async setHalt(what: 'halt' | 'resume'): Promise<void> {
    const { workspaceId, environmentId } = this.api.database.tenant;
    const path = `/api/v2/workspaces/${workspaceId}/environments/${environmentId}/${what}`;
    const body = what === 'halt' ? { reason: 'an incident' } : {};
    const reply = await this.api.call('POST', path, { key: this.key, body });
    if (reply.status !== 200) throw new Error(reply.text);
  }

  firing(scheduleId: string, nominalAt: string, trigger: RunTrigger = 'schedule'): Promise<Fired> {
    return this.fire({ ...this.api.database.tenant, scheduleId, trigger, nominalAt });
  }

  /** As the sweep does, with a Temporal that accepts every call. */
  tell(scheduleId: string): Promise<void> {
    const takes = (): Promise<void> => Promise.resolve();
    const { db, logger } = this.api.deps;
    const deps = { db, logger, putSchedule: takes, forgetSchedule: takes };
    return tellSchedule(deps, { ...this.api.database.tenant, scheduleId });
  }

  /** Its `due_at`. */
  async expectedSlot(scheduleId: string): Promise<Date | null | undefined> {
    const [row] = await this.api.database.asOwner<{ due_at: Date | null }>(
      'SELECT due_at FROM schedules WHERE id = $1',
      [scheduleId],
    );
    return row?.due_at;
  }

  async runs(scheduleId: string): Promise<Run[]> {
    const reply = await this.call('GET', `/${scheduleId}/runs`);
    return dataOf(reply, runSchema.array());
  }

  /** Ends what the schedule has on its way. */
  async end(scheduleId: string): Promise<void> {
    await this.api.database.asOwner(
      `UPDATE messages SET status = 'processing', attempts = 1 WHERE schedule_id = $1 AND status IN ('pending', 'scheduled')`,
      [scheduleId],
    );
    await this.api.database.asOwner(
      `UPDATE messages SET status = 'delivered', delivered_at = now() WHERE schedule_id = $1 AND status = 'processing'`,
      [scheduleId],
    );
  }
}
