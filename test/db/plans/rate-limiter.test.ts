import { describe, expect, it } from 'vitest';
import { SessionRateLimiter, WorkspaceRateLimiter, type RateDecision } from '../../../db/plans/rate-limiter.ts';
import { newId } from '../../../domain/ids.ts';
import { createTestDatabase } from '../../harness/database.ts';

const LIMIT = { perMinute: 30, perHour: 50 };

const database = await createTestDatabase({ poolMax: 10 });

describe('the requests of a workspace', () => {
  let workspaceId: string;
  /** A limiter is the state of one process. A new one has counted nothing. */
  const newProcess = (): WorkspaceRateLimiter => new WorkspaceRateLimiter(database.db, LIMIT);
  const newWorkspace = async (): Promise<void> => {
    workspaceId = (await database.anotherWorkspace()).development.workspaceId;
  };
  const ask = (limiter: WorkspaceRateLimiter, times: number): Promise<RateDecision[]> =>
    Promise.all(Array.from({ length: times }, () => limiter.decide(workspaceId)));
  const admitted = (decisions: readonly RateDecision[]): number => decisions.filter((one) => one.admitted).length;
  const rowOf = async (): Promise<Record<string, unknown>[]> =>
    database.asOwner('SELECT minute_used, hour_used FROM rate_windows WHERE workspace_id = $1', [workspaceId]);
  /** Moves the windows into the past, as if the time had passed. */
  const turnBack = async (column: 'minute_started_at' | 'hour_started_at', interval: string): Promise<void> => {
    await database.asOwner(`UPDATE rate_windows SET ${column} = ${column} - $2::interval WHERE workspace_id = $1`, [
      workspaceId,
      interval,
    ]);
  };

  it('pass exactly as often as the minute allows, at once and from two processes', async () => {
    await newWorkspace();
    const decisions = (await Promise.all([ask(newProcess(), 40), ask(newProcess(), 40)])).flat();
    expect(admitted(decisions)).toBe(LIMIT.perMinute);
    expect(await rowOf()).toEqual([{ minute_used: 30, hour_used: 30 }]);
  });

  it('count down, and name the instant of the next window in milliseconds', async () => {
    await newWorkspace();
    const process = newProcess();
    const [first] = await ask(process, 1);
    const [second] = await ask(process, 1);
    expect([first?.window?.used, second?.window?.used]).toEqual([1, 2]);
    expect(first?.window?.limit).toBe(LIMIT.perMinute);
    expect(Math.abs((first?.window?.resetsAtMs ?? 0) - Date.now() - 60_000)).toBeLessThan(5_000);
    expect(second?.window?.resetsAtMs).toBe(first?.window?.resetsAtMs);
  });

  it('are not counted where they are refused, neither in the minute nor in the hour', async () => {
    await newWorkspace();
    expect(admitted(await ask(newProcess(), 31))).toBe(30);
    expect(admitted(await ask(newProcess(), 5))).toBe(0);
    expect(await rowOf()).toEqual([{ minute_used: 30, hour_used: 30 }]);
  });

  it('pass again when the minute is over, and not a moment before', async () => {
    await newWorkspace();
    await ask(newProcess(), 30);
    await turnBack('minute_started_at', '59 seconds');
    expect(admitted(await ask(newProcess(), 1))).toBe(0);
    await turnBack('minute_started_at', '1 second');
    expect(admitted(await ask(newProcess(), 1))).toBe(1);
    expect(await rowOf()).toEqual([{ minute_used: 1, hour_used: 31 }]);
  });

  it('pass exactly as often as the hour allows, also where the minute would allow more', async () => {
    await newWorkspace();
    await ask(newProcess(), 30);
    await turnBack('minute_started_at', '1 minute');
    const decisions = (await Promise.all([ask(newProcess(), 20), ask(newProcess(), 20)])).flat();
    expect(admitted(decisions)).toBe(20);
    const refusal = decisions.find((one) => !one.admitted && one.window !== null);
    expect(refusal?.window?.limit).toBe(LIMIT.perHour);
    expect(refusal?.resetsInMs).toBeGreaterThan(3_500_000);
    await turnBack('hour_started_at', '1 hour');
    await turnBack('minute_started_at', '1 minute');
    expect(admitted(await ask(newProcess(), 1))).toBe(1);
  });

  it('are refused without the database once the process knows that the window is used up', async () => {
    await newWorkspace();
    const process = newProcess();
    await ask(process, 30);
    await database.asOwner('DELETE FROM rate_windows WHERE workspace_id = $1', [workspaceId]);
    const [refused] = await ask(process, 1);
    expect(refused).toMatchObject({ admitted: false, window: null });
    expect(refused?.resetsInMs).toBeGreaterThan(50_000);
    expect(await rowOf()).toEqual([]);
    expect(admitted(await ask(newProcess(), 1))).toBe(1);
  });

  it('of one workspace leave another one alone', async () => {
    await newWorkspace();
    const process = newProcess();
    await ask(process, 31);
    await newWorkspace();
    expect(admitted(await ask(process, 1))).toBe(1);
  });

  it('cannot be counted, seen or forgotten by a statement of the application', async () => {
    for (const statement of [
      'SELECT * FROM rate_windows',
      'DELETE FROM rate_windows',
      'UPDATE rate_windows SET minute_used = 1',
      'SELECT * FROM session_rate_windows',
      'UPDATE session_rate_windows SET used = 1',
    ]) {
      await expect(database.db.withEnvironment(database.tenant, (tx) => tx.raw(null, statement))).rejects.toThrow(
        /permission denied/,
      );
    }
  });
});

describe('the requests of a person', () => {
  const newProcess = (): SessionRateLimiter => new SessionRateLimiter(database.db, { perMinute: 30, perHour: null });
  const newPerson = async (): Promise<string> => {
    const userId = newId('user');
    await database.asOwner(`INSERT INTO users (id, email, name, password_hash) VALUES ($1, $1, 'A person', 'none')`, [
      userId,
    ]);
    return userId;
  };
  const ask = (limiter: SessionRateLimiter, userId: string, times: number): Promise<RateDecision[]> =>
    Promise.all(Array.from({ length: times }, () => limiter.decide(userId)));
  const admitted = (decisions: readonly RateDecision[]): number => decisions.filter((one) => one.admitted).length;
  const turnBack = (userId: string, interval: string): Promise<unknown> =>
    database.asOwner('UPDATE session_rate_windows SET started_at = started_at - $2::interval WHERE user_id = $1', [
      userId,
      interval,
    ]);

  it('pass exactly as often as the minute allows, from two processes, and leave another person alone', async () => {
    const [userId, other] = [await newPerson(), await newPerson()];
    const decisions = (await Promise.all([ask(newProcess(), userId, 20), ask(newProcess(), userId, 20)])).flat();
    expect(admitted(decisions)).toBe(30);
    expect(admitted(await ask(newProcess(), other, 1))).toBe(1);
  });

  it('pass again when the minute is over, and not a moment before', async () => {
    const userId = await newPerson();
    expect(admitted(await ask(newProcess(), userId, 31))).toBe(30);
    await turnBack(userId, '59 seconds');
    expect(admitted(await ask(newProcess(), userId, 1))).toBe(0);
    await turnBack(userId, '1 second');
    expect((await ask(newProcess(), userId, 1))[0]?.window).toMatchObject({ limit: 30, used: 1 });
  });
});
