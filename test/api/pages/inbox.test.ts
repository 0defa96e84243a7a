import { describe, expect, test } from 'vitest';
import { addMember } from '../../../db/members/members.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import { environmentPath } from '../../../domain/console-links.ts';
import { PLAN_TABLE, SESSION_RATE_LIMIT } from '../../../domain/plans.ts';
import { createPerson, type TestPerson } from '../harness/people.ts';
import { startTestApi } from '../harness/test-api.ts';
import { openApproval, pathOf, Visitor } from './support.ts';

const api = await startTestApi();
const { key } = await api.createKey(api.database.tenant);

describe('the inbox', () => {
  const visitorOf = ({ token }: TestPerson): Visitor => new Visitor(api, { 'service-session': token });

  test('lists what waits for this member, and says why the rest does not', async () => {
    const member = await createPerson(api, 'member');
    const mine = await openApproval(api, key);
    const inbox = await visitorOf(await createPerson(api, 'owner')).get('/console');
    expect(inbox.text).toContain(mine.title);
    expect(inbox.text).toContain(`href="${pathOf(api, mine)}"`);
    // An approval without an invocation needs an admin or an owner.
    const theirs = await visitorOf(member).get('/console');
    expect(theirs.text).toContain('Nothing waits for you.');
    expect(theirs.text).not.toContain(mine.title);
    const all = await visitorOf(member).get(pathOf(api, mine).replace(/\/[^/]+$/, ''));
    expect(all.text).toContain(mine.title);
    expect(all.text).toContain('You are not among the approvers');
    const { workspaceId } = (await api.database.anotherWorkspace()).production;
    const stranger = await createPerson(api, 'owner', { workspaceId });
    expect((await visitorOf(stranger).get('/console')).text).not.toContain(mine.title);
    expect((await visitorOf(stranger).get(pathOf(api, mine))).status).toBe(404);
  });

  test('of one environment goes on to older pages, and back', async () => {
    const { production } = await api.database.anotherWorkspace();
    const { key: other } = await api.createKey(production);
    for (let count = 0; count < 51; count++) await openApproval(api, other);
    const visitor = visitorOf(await createPerson(api, 'owner', { workspaceId: production.workspaceId }));
    const path = environmentPath(production.environmentId);
    const first = await visitor.get(path);
    expect(first.text).toContain(`<a href="${path}?page=2">Older</a>`);
    const second = await visitor.get(`${path}?page=2`);
    expect(second.text.match(/<li>/g)).toHaveLength(1);
    expect(second.text).toContain(`<a href="${path}?page=1">Newer</a>`);
    expect((await visitor.get('/console')).text).toContain('All 51 that are pending in');
  });

  test('lists what waits in a workspace whose agents have used up its rate limit', async () => {
    const { db, asOwner, anotherWorkspace } = api.database;
    const { development: other } = await anotherWorkspace();
    await db.withWorkspace(other.workspaceId, (tx) => setPlan(tx, 'free'));
    const waiting = await openApproval(api, (await api.createKey(other)).key);
    await asOwner('UPDATE rate_windows SET hour_used = $2 WHERE workspace_id = $1', [
      other.workspaceId,
      PLAN_TABLE.free.rateLimit?.perHour,
    ]);
    const person = await createPerson(api, 'admin', { workspaceId: other.workspaceId });
    const inbox = await visitorOf(person).get('/console');
    expect([inbox.status, inbox.text]).toEqual([200, expect.stringContaining(waiting.title)]);
  });

  test('says how many environments it did not look into once the minute of the person is used up', async () => {
    const { db, tenant, asOwner, anotherWorkspace } = api.database;
    const { development: other } = await anotherWorkspace();
    await openApproval(api, (await api.createKey(other)).key);
    await openApproval(api, key);
    const person = await createPerson(api, 'admin', { workspaceId: other.workspaceId });
    await db.withWorkspace(tenant.workspaceId, (tx) => addMember(tx, person.userId, 'admin'));
    await asOwner('INSERT INTO session_rate_windows VALUES ($1, now(), $2)', [
      person.userId,
      SESSION_RATE_LIMIT.perMinute - 1,
    ]);
    const visitor = visitorOf(person);
    expect((await visitor.get('/console')).text).toMatch(
      />\d+ waits? for you\. One environment was not looked into\.</,
    );
    expect((await visitor.get('/console')).text).toContain('<p role="status">2 environments were not looked into.</p>');
  });
});
