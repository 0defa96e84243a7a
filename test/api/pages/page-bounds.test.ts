import { describe, expect, test } from 'vitest';
import { inboxContent, type LookedInto } from '../../../api/pages/inbox.ts';
import { exactText } from '../../../api/html/exact-text.ts';
import { documentOf, PAGE_BYTES_MAX } from '../../../api/html/layout.ts';
import { markup, within } from '../../../api/html/markup.ts';
import { consentContent } from '../../../api/oauth/consent-content.ts';
import { ORDINARY_SCOPES } from '../../../domain/oauth/offered-scopes.ts';
import { visibleJson } from '../../../domain/unseen-characters.ts';
import { decisionBy, limitOf, MARKUP, pageOf, type Sample, UNSEEN, viewOf } from './samples.ts';
import { decoded } from './support.ts';

/** Each page has a size limit for any content: texts are as long as the database accepts, and grow when they are rendered. */

const CONTENTS = {
  'unseen characters': '\u200B',
  'reversing characters': UNSEEN,
  'markup characters': `'"<&>\``,
  markup: MARKUP,
  'characters of four bytes': '𝄞',
  'one long word': 'w',
};
const filled = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const bytesOf = (page: string): number => Buffer.byteLength(page);

function hostile(unit: string): Sample {
  const members = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [`${index}${filled(unit, 300)}`, filled(unit, 2_000)]),
  );
  const headers = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`x-${index}`, filled(unit, 8_000)]));
  const text = filled(unit, 20_000);
  return {
    request: { url: `https://a.example/${filled(unit, 8_000)}`, headers, body: JSON.stringify(members) },
    read: Array.from({ length: 20 }, () => ({
      type: 'text_diff' as const,
      title: filled(unit, 200),
      path: text,
      before: `${text}a`,
      after: `${text}b`,
      fields: Array.from({ length: 200 }, () => ({ label: filled(unit, 200), value: text })),
      items: Array.from({ length: 200 }, () => ({ kind: 'irreversible' as const, text })),
    })),
    allowances: Array.from({ length: 100 }, () => limitOf({ name: filled(unit, 200), requested: 900_000 })),
    approval: {
      agentId: filled(unit, 200),
      runId: filled(unit, 200),
      approversOfAll: Array.from({ length: 20 }, () => ({
        users: Array.from({ length: 100 }, () => filled(unit, 320)),
        keys: Array.from({ length: 100 }, () => filled(unit, 100)),
      })),
      decisions: Array.from({ length: 100 }, () => decisionBy('ada', { note: filled(unit, 2_000) })),
    },
    names: { keys: { key_agent: filled(unit, 100) }, actionDescription: filled(unit, 2_000) },
    environment: { name: filled(unit, 100) },
  };
}

describe.each(Object.entries(CONTENTS))('a page full of %s', (_, unit) => {
  test('of an approval of an invocation stays within its bound, says that it is cut, and leads to all of it', () => {
    const page = pageOf(hostile(unit));
    expect(bytesOf(page)).toBeLessThanOrEqual(PAGE_BYTES_MAX);
    expect(page).toMatch(/Not all of it fits on this page\. <a href="[^"]+\/content">Read all of it as a file<\/a>/);
    // What is written on one side hides nothing of the other.
    expect(page).toContain('Who asks');
    expect(page).toContain('value="approve"');
    expect(page).toContain('Exactly these bytes');
  });

  test('of a free-standing approval and of an outcome stays within it', () => {
    const free = { kind: 'free_standing' as const, title: filled(unit, 200), summary: filled(unit, 2_000) };
    expect(bytesOf(pageOf({ approval: { ...free, payload: filled(unit, 60_000) } }))).toBeLessThanOrEqual(
      PAGE_BYTES_MAX,
    );
    const failed = pageOf({
      ...hostile(unit),
      approval: { ...hostile(unit).approval, status: 'consumed' },
      outcome: { status: 'failed', error: filled(unit, 20_000), providerReference: filled(unit, 2_000) },
    });
    expect(bytesOf(failed)).toBeLessThanOrEqual(PAGE_BYTES_MAX);
  });

  test('of the inbox stays within it, names how many are left out and leads there', () => {
    const { approval } = viewOf({ approval: { title: filled(unit, 200), summary: filled(unit, 2_000) } }).shown;
    const looked: LookedInto[] = Array.from({ length: 20 }, (__, index) => ({
      environment: {
        environmentId: `environment-${index}`,
        environmentName: filled(unit, 100),
        workspaceName: filled(unit, 100),
        kind: 'production',
        pending: 50,
      },
      own: Array.from({ length: 50 }, () => ({ approval, reason: null })),
      total: 50,
    }));
    const content = inboxContent(looked, { page: 1, more: 2 });
    const page = documentOf({ title: 'Approvals', viewer: null, content });
    expect(bytesOf(page)).toBeLessThanOrEqual(PAGE_BYTES_MAX);
    expect(page).toContain('1000 wait for you.');
    expect(page.match(/<li>/g)).toHaveLength(100);
    expect(page.match(/50 more wait for you: all 50 that are pending in/g)).toHaveLength(18);
    expect(page).toContain('href="/console?page=2"');
    expect(page).not.toContain('This page would be too long');
  });

  test('on which an app asks for consent stays within it', () => {
    const environments = Array.from({ length: 3_000 }, (__, index) => ({
      id: `environment-${index}`,
      name: filled(unit, 100),
      kind: 'production' as const,
      workspaceId: `workspace-${index}`,
      workspaceName: filled(unit, 100),
      role: 'member' as const,
    }));
    const asked = {
      clientId: filled(unit, 2_000),
      clientName: filled(unit, 2_000),
      redirectUri: 'https://app.example/callback',
      redirectKind: 'site' as const,
      resource: 'mcp' as const,
      scopes: ORDINARY_SCOPES,
      openid: false,
    };
    const content = consentContent({ asked, environments, csrfToken: 'token', asksFrom: null, refused: null });
    const page = documentOf({ title: `Connect ${asked.clientName}`, viewer: null, content });
    expect(bytesOf(page)).toBeLessThanOrEqual(PAGE_BYTES_MAX);
    expect(page).toContain('This page would be too long: a list on it ends before its last entries.');
    expect(page).toContain('value="allow"');
  });

  test('as a text keeps its beginning to the character, and says how much is missing', () => {
    const text = filled(unit, 5_000);
    const { content, isCut } = within(markup`${exactText(text, 2_000)}`, 10_000);
    const page = documentOf({ title: 'A text', viewer: null, content });
    const [, shown = '', missing = ''] =
      /<h1>A text<\/h1>([\s\S]*)<strong class="cut">… ([\d,]+) more characters/.exec(page) ?? [];
    expect(isCut).toBe(true);
    expect(text.startsWith(decoded(shown).trimStart())).toBe(true);
    expect(decoded(shown).trim().length + Number(missing.replace(',', ''))).toBeGreaterThanOrEqual(4_990);
  });

  test('as a file is the same value, and hides nothing', () => {
    const value = { text: `${filled(unit, 500)}\r\n\t é` };
    expect(JSON.parse(visibleJson(value))).toEqual(value);
    expect(visibleJson(value)).not.toMatch(/[\u200B\u202E\u2066\u00A0]|\u{E0041}/u);
  });
});
