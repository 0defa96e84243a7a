import { describe, expect, it } from 'vitest';
import { type Check, fail, ok } from '../../../embedded/doctor/check.ts';
import { reportOf } from '../../../embedded/doctor/report.ts';
import { runChecks } from '../../../embedded/doctor/run-checks.ts';
import { readSettings } from '../../../embedded/doctor/settings.ts';
import { Subject } from '../../../embedded/doctor/subject.ts';

const ENVIRONMENT = {
  DATABASE_URL: 'postgresql://app:p%40ss-word@127.0.0.1/service',
  MASTER_KEYS: '1:bWFzdGVyLWtleS1vZi0zMi1ieXRlcy1hYWFhYWFhYWE=',
};
const subject = new Subject(readSettings(ENVIRONMENT, 'files'));
const check = (name: string, run: Check['run'], needs: string[] = []): Check => ({
  name,
  holds: '',
  page: 'doctor.md',
  needs,
  run,
});

describe('runChecks', () => {
  it('says what failed and what to do, with the page that explains it', async () => {
    expect(await runChecks([check('one', () => fail('It is off', 'switch it on'))], subject)).toEqual([
      { name: 'one', status: 'fail', message: 'It is off: switch it on. See docs/doctor.md' },
    ]);
  });

  it('skips a check whose need did not pass, and what needs that one', async () => {
    const checks = [
      check('one', () => fail('It is off', 'switch it on')),
      check('two', () => ok('Never.'), ['one']),
      check('three', () => ok('Never.'), ['two']),
    ];
    expect((await runChecks(checks, subject)).slice(1)).toEqual([
      { name: 'two', status: 'skipped', message: 'It was not checked, because one failed.' },
      { name: 'three', status: 'skipped', message: 'It was not checked, because two was skipped.' },
    ]);
  });

  it('fails a check that does not end, and does not wait for it', async () => {
    const checks = [check('one', () => new Promise(() => undefined)), check('two', () => ok('Done.'))];
    expect(await runChecks(checks, subject, { checkMs: 20 })).toEqual([
      { name: 'one', status: 'fail', message: expect.stringContaining('It had no answer within 1 s') as string },
      { name: 'two', status: 'ok', message: 'Done.' },
    ]);
  });

  it('ends all checks by one time, also those that waited for others', async () => {
    const slow = (ms: number) => () =>
      new Promise<ReturnType<typeof ok>>((resolve) => setTimeout(() => resolve(ok('Late.')), ms));
    const beganMs = performance.now();
    const checks = [check('one', slow(60)), check('two', slow(60_000), ['one'])];
    const [, two] = await runChecks(checks, subject, { checkMs: 60_000, allMs: 200 });
    expect(two?.status).toBe('fail');
    expect(performance.now() - beganMs).toBeLessThan(30_000);
  });

  it('shows no secret that an error quotes', async () => {
    const texts = ['p@ss-word', 'p%40ss-word', ENVIRONMENT.MASTER_KEYS, ENVIRONMENT.MASTER_KEYS.slice(2)];
    const results = await runChecks(
      texts.map((text, index) => check(String(index), () => Promise.reject(new Error(`it said ${text} aloud`)))),
      subject,
    );
    for (const { message } of results) expect(message).toContain('it said … aloud');
  });
});

it('reports failures last, with the count of each kind', () => {
  const report = reportOf([
    { name: 'one', status: 'fail', message: 'It is off.' },
    { name: 'second', status: 'ok', message: 'It is on.' },
  ]);
  expect(report).toBe('ok      second  It is on.\nFAIL    one     It is off.\n\n2 checks: 1 ok, 0 skipped, 1 failed.');
});
