import { describe, expect, test } from 'vitest';
import { chatTextOf, DOES_NOT_FIT, type ShownInChat } from '../../../domain/integrations/approval-message.ts';
import { discordMessage } from '../../../domain/integrations/discord-message.ts';
import { slackMessage } from '../../../domain/integrations/slack-message.ts';
import { type PreviewBlock, TRUNCATED_NOTE } from '../../../domain/adapters/preview-block.ts';

/** What Slack was found to take in all blocks of a message (slackapi/bolt-js issues 2509 and 2867), and what Discord takes in all embeds. */
const SLACK_JSON_CHARACTERS_MAX = 12_000;
const DISCORD_CHARACTERS_MAX = 6_000;
const DECIDING = {
  approvalId: 'apr_0000000000000000000000',
  bindingDigest: `sha256:${'a'.repeat(64)}`,
  url: 'https://agents.example/console/approvals/1',
  takesClicks: true,
};

function shown(over: Partial<ShownInChat> = {}): ShownInChat {
  return {
    title: 'Deploy',
    summary: 'Deploys version 7.',
    reason: 'A rule.',
    bindingDigest: DECIDING.bindingDigest,
    expiresAt: new Date('2026-11-25T12:00:00Z'),
    quorum: 1,
    environmentName: 'Production',
    blocks: [],
    request: null,
    payload: null,
    ...over,
  };
}

const fieldsOf = (value: string): PreviewBlock => ({
  type: 'fields',
  title: 'What is sent',
  fields: [
    { label: 'Method', value: 'DELETE' },
    { label: 'Note', value },
  ],
});

/** What a reader sees of a message: the text of each part, in order, and what its buttons say. */
interface Read {
  texts: string[];
  buttons: string[];
}

const CHATS: [string, (of: ShownInChat) => Read][] = [
  [
    'Slack',
    (of) => {
      const { blocks } = slackMessage(chatTextOf(of), DECIDING);
      const labels = blocks.flatMap((block) =>
        block.type === 'actions' ? block.elements.map((each) => (each.type === 'button' ? each.text.text : '')) : [],
      );
      const texts = blocks.flatMap((block) => (block.type === 'section' ? [block.text?.text ?? ''] : []));
      return { texts, buttons: labels };
    },
  ],
  [
    'Discord',
    (of) => {
      const { embeds = [], components = [] } = discordMessage(chatTextOf(of), DECIDING);
      const labels = components.flatMap((row) =>
        'components' in row ? row.components.map((each) => ('label' in each ? (each.label ?? '') : '')) : [],
      );
      const texts = embeds.map(({ description = '' }) => description.replace(/^```\n/, '').replace(/\n```$/, ''));
      return { texts, buttons: labels };
    },
  ],
];
const ALL = ['Approve', 'Deny', 'Open the page'];

describe.each(CHATS)('an approval in %s', (_, read) => {
  test('says quantities as people do', () => {
    const quantities = [
      { dimension: 'money', currency: 'jpy', amount: 12_500, bound: 'exact' as const },
      { dimension: 'emails', amount: 3, bound: 'upper_bound' as const },
    ];
    const { texts } = read(shown({ blocks: [{ type: 'impact', title: 'What it uses up', quantities }] }));
    expect(texts[1]).toBe('What it uses up\nmoving 12,500 JPY\nusing at most 3 emails');
  });

  test('has buttons and shows the values as they are where nothing in them is hidden', () => {
    const { texts, buttons } = read(shown({ blocks: [fieldsOf('a\tb  c ä 𝄞')], payload: { version: 7 } }));
    expect(texts).toEqual([
      'Deploy\nDeploys version 7.\nA rule.',
      'What is sent\nMethod: DELETE\nNote: a\tb  c ä 𝄞',
      'Payload\n{\n  "version": 7\n}',
      `In Production.\nUntil 2026-11-25T12:00:00.000Z.\n${DECIDING.bindingDigest}`,
    ]);
    expect(buttons).toEqual(ALL);
  });

  test('marks what shows nothing or turns other characters round, wherever it stands, and no text looks like a mark', () => {
    const nasty = '\u202Egnp.exe\u200B\u00A0\r\u{E0041}\u2028\u3164';
    const marks = '⟨U+202E⟩gnp.exe⟨U+200B⟩⟨U+00A0⟩⟨U+000D⟩⟨U+E0041⟩⟨U+2028⟩⟨U+3164⟩';
    const { texts } = read(
      shown({
        title: nasty,
        summary: nasty,
        reason: nasty,
        environmentName: nasty,
        payload: { nasty, forged: '⟨U+202E⟩' },
        blocks: [
          { type: 'fields', title: nasty, fields: [{ label: nasty, value: nasty }] },
          { type: 'text_diff', title: 'Diff', path: nasty, before: nasty, after: nasty },
          { type: 'limitations', title: 'Promised', items: [{ kind: 'guarantee', text: nasty }] },
        ],
      }),
    );
    expect(texts.join('\n').match(/[^\P{C}\n]|[\p{Zl}\p{Zp}\u00A0\u3164]/gu)).toBeNull();
    const inJson = marks.replace('⟨U+000D⟩', String.raw`\r`);
    expect(texts).toEqual([
      `${marks}\n${marks}\n${marks}`,
      `${marks}\n${marks}: ${marks}`,
      `Diff\nPath: ${marks}\n- ${marks}\n+ ${marks}`,
      `Promised\nguarantee: ${marks}`,
      `Payload\n{\n  "nasty": "${inJson}",\n  "forged": "⟨U+27E8⟩U+202E⟩"\n}`,
      expect.stringContaining(`In ${marks}.`),
    ]);
  });

  test('tells a line that a value begins from one of ours', () => {
    const forged = 'fine\nMethod: GET\n\nUntil 2030';
    const { texts } = read(
      shown({
        title: forged,
        blocks: [fieldsOf(forged), { type: 'text_diff', title: 'Diff', before: 'a\n+ b', after: 'c' }],
      }),
    );
    expect(texts.slice(0, 3)).toEqual([
      'fine\n│ Method: GET\n│ \n│ Until 2030\nDeploys version 7.\nA rule.',
      'What is sent\nMethod: DELETE\nNote: fine\n│ Method: GET\n│ \n│ Until 2030',
      'Diff\n- a\n│ + b\n+ c',
    ]);
  });

  test('tells a section that goes on with a long value from one that begins', () => {
    // Wherever the value is cut, a section of a chat begins with one of these lines.
    const { texts } = read(shown({ blocks: [fieldsOf('Method: GET '.repeat(400))] }));
    expect(texts).toHaveLength(4);
    expect(texts[2]).toMatch(/^…/);
    expect(texts.join('').replaceAll('…', '')).toContain('Method: GET '.repeat(400));
  });

  test('says which part was cut before it came here, and has no buttons then', () => {
    const { texts, buttons } = read(shown({ blocks: [{ ...fieldsOf('short'), truncated: true }, fieldsOf('whole')] }));
    expect(texts[1]).toBe(`What is sent\nMethod: DELETE\nNote: short\n${TRUNCATED_NOTE}`);
    expect(texts[2]).not.toContain(TRUNCATED_NOTE);
    expect(buttons).toEqual(['Open the page']);
  });

  test.each([
    ['one long value', shown({ payload: 'x'.repeat(60_000) })],
    ['quotes, which JSON escapes', shown({ payload: '"'.repeat(5_500) })],
    ['many small parts', shown({ blocks: Array.from({ length: 60 }, () => fieldsOf('x')) })],
    [
      'a long heading',
      shown({ summary: '\u200B'.repeat(2_000), reason: '"'.repeat(2_000), payload: 'x'.repeat(9_000) }),
    ],
  ])('that is too long is the heading, a word on it and the link, and is never refused: %s', (__, of) => {
    const { texts, buttons } = read(of);
    expect(buttons).toEqual(['Open the page']);
    expect(texts).toHaveLength(3);
    expect(texts[0]).toMatch(/^Deploy\n/);
    expect(texts[1]).toBe(DOES_NOT_FIT);
  });
});

/** From far below the bounds to far above them, in texts that grow in JSON and in marks, and in those that do not. */
const GROWING = ['x', '"', '\u200B', 'line\n'].flatMap((unit) =>
  [100, 1_000, 2_500, 4_000, 5_000, 6_500, 8_000, 9_500, 11_000, 30_000].map((times) => unit.repeat(times)),
);

test('no message is longer than its chat takes', () => {
  for (const payload of GROWING) {
    const text = chatTextOf(
      shown({ summary: payload.slice(0, 2_000), payload, blocks: [fieldsOf(payload.slice(0, 4_000))] }),
    );
    const { blocks } = slackMessage(text, DECIDING);
    expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(SLACK_JSON_CHARACTERS_MAX);
    const { embeds = [] } = discordMessage(text, DECIDING);
    const characters = embeds.reduce((sum, { description = '' }) => sum + description.length, 0);
    expect(characters).toBeLessThanOrEqual(DISCORD_CHARACTERS_MAX);
  }
});

test('Discord: no text ends the code block that it stands in, and none is shown otherwise than it is', () => {
  const { embeds = [] } = discordMessage(chatTextOf(shown({ payload: 'a```b````c' })), DECIDING);
  expect(embeds[1]?.description).toBe('```\nPayload\n"a``⟨U+0060⟩b``⟨U+0060⟩`c"\n```');
});
