import type {
  APIActionRowComponent,
  APIButtonComponent,
  APIComponentInMessageActionRow,
  APIInteractionResponseChannelMessageWithSource,
  APIInteractionResponsePong,
  APIInteractionResponseUpdateMessage,
  RESTPostAPIWebhookWithTokenJSONBody,
} from 'discord-api-types/v10';
import { type ChatText, DOES_NOT_FIT, sectionsOf } from './approval-message.ts';
import { buttonValue } from './clicks.ts';
import type { Deciding } from './slack-message.ts';

/** Discord takes 10 embeds of 4,096 characters, and 6,000 in all of them. */
const EMBED_CHARACTERS_MAX = 4_000;
const EMBEDS_MAX = 9;
const CHARACTERS_MAX = 5_600;
const FENCE = '```';

/** The numbers of Discord's enumerations; its package of types has code for them, which we do not ship. */
const ACTION_ROW = 1;
const BUTTON = 2;
const STYLE = { success: 3, danger: 4, link: 5 } as const;
const EPHEMERAL = 64;
const [PONG, MESSAGE, UPDATE] = [1, 4, 7] as const;

const NOBODY = { parse: [] };

/** Texts are in code blocks: no links, no mentions. It has buttons only if all fits: a user has seen everything. */
export function discordMessage(text: ChatText, deciding: Deciding): RESTPostAPIWebhookWithTokenJSONBody {
  const all = [text.heading, ...text.parts, text.footer];
  const pieces = all.flatMap((part) => sectionsOf(fenceable(part), EMBED_CHARACTERS_MAX));
  const fits = pieces.length <= EMBEDS_MAX && pieces.reduce((sum, { length }) => sum + length, 0) <= CHARACTERS_MAX;
  const shown = fits ? pieces : [pieces[0] ?? '', DOES_NOT_FIT, fenceable(text.footer)];
  const buttons = buttonsOf(deciding, fits && text.isWhole);
  return {
    content: 'An approval is asked for.',
    embeds: shown.map((description) => ({ description: `${FENCE}\n${description}\n${FENCE}` })),
    components: buttons.length === 0 ? [] : [row(buttons)],
    allowed_mentions: NOBODY,
  };
}

function row(components: APIButtonComponent[]): APIActionRowComponent<APIComponentInMessageActionRow> {
  return { type: ACTION_ROW, components };
}

function buttonsOf({ url, takesClicks, ...of }: Deciding, showsAll: boolean): APIButtonComponent[] {
  const link: APIButtonComponent[] =
    url === null ? [] : [{ type: BUTTON, style: STYLE.link, label: 'Open the page', url }];
  if (!takesClicks || !showsAll) return link;
  return [
    { type: BUTTON, style: STYLE.success, label: 'Approve', custom_id: buttonValue({ ...of, decision: 'approve' }) },
    { type: BUTTON, style: STYLE.danger, label: 'Deny', custom_id: buttonValue({ ...of, decision: 'deny' }) },
    ...link,
  ];
}

/** Nothing in a text ends the code block that it stands in: the third backtick stands as its mark (approval-message.ts). */
function fenceable(text: string): string {
  return text.replaceAll(FENCE, '``⟨U+0060⟩');
}

export const discordPong = (): APIInteractionResponsePong => ({ type: PONG });

/** In place of a message whose approval has ended: no buttons. */
export function discordOutcome(text: string): APIInteractionResponseUpdateMessage {
  return { type: UPDATE, data: { content: plain(text), embeds: [], components: [], allowed_mentions: NOBODY } };
}

export function discordWhisper(text: string): APIInteractionResponseChannelMessageWithSource {
  return { type: MESSAGE, data: { content: plain(text), flags: EPHEMERAL, allowed_mentions: NOBODY } };
}

function plain(text: string): string {
  return `${FENCE}\n${fenceable(text).slice(0, 1_900)}\n${FENCE}`;
}

export function discordTest(text: string): { content: string; allowed_mentions: { parse: [] } } {
  return { content: text, allowed_mentions: { parse: [] } };
}
