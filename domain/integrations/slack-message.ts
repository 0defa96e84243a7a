import type { ActionsBlock, Button, KnownBlock, SectionBlock } from '@slack/types';
import { type ChatText, DOES_NOT_FIT, piecesOf, sectionsOf } from './approval-message.ts';
import { buttonValue } from './clicks.ts';
import { escapeMarkup } from '../markup-characters.ts';

/** Slack takes 50 blocks, and 3,000 characters in the text of a section. */
const SECTIONS_MAX = 40;
const SECTION_CHARACTERS_MAX = 3_000;
/** Slack refuses more than some 12,000 characters of blocks (undocumented: slackapi/bolt-js 2509, 2867). */
const BLOCKS_JSON_CHARACTERS_MAX = 10_000;
/** Slack sends the message with each click, and api/integrations/serve-interactions.ts reads 64 KiB. */
const BLOCKS_FORM_BYTES_MAX = 44 * 1024;

export interface SlackMessage {
  text: string;
  blocks: KnownBlock[];
}

export interface Deciding {
  approvalId: string;
  bindingDigest: string;
  url: string | null;
  /** Whether clicks can be verified. */
  takesClicks: boolean;
}

/** Texts are plain: no links, no mentions. It has buttons only if all fits: a user has seen everything. */
export function slackMessage(text: ChatText, deciding: Deciding): SlackMessage {
  const sections = [text.heading, ...text.parts, text.footer].flatMap(sectionsOfPart);
  const json = JSON.stringify(sections);
  const fits =
    sections.length <= SECTIONS_MAX &&
    json.length <= BLOCKS_JSON_CHARACTERS_MAX &&
    formBytes(json) <= BLOCKS_FORM_BYTES_MAX;
  const [heading = ''] = sectionsOf(text.heading, SECTION_CHARACTERS_MAX);
  const elements = buttonsOf(deciding, fits && text.isWhole);
  return {
    text: escapeMarkup(heading),
    blocks: [
      ...(fits ? sections : [heading, DOES_NOT_FIT, text.footer].map(section)),
      ...(elements.length === 0 ? [] : [{ type: 'actions', elements } satisfies ActionsBlock]),
    ],
  };
}

/** At most: a form has three bytes for most punctuation, and nine for a character beyond ASCII. */
function formBytes(json: string): number {
  let bytes = 0;
  for (const character of json.split('')) bytes += /[A-Za-z0-9]/.test(character) ? 1 : character < '\u0080' ? 3 : 9;
  return bytes;
}

function sectionsOfPart(part: string): SectionBlock[] {
  return sectionsOf(part, SECTION_CHARACTERS_MAX).map(section);
}

function buttonsOf({ url, takesClicks, ...of }: Deciding, showsAll: boolean): Button[] {
  const button = (decision: 'approve' | 'deny', label: string, style: 'primary' | 'danger'): Button => ({
    type: 'button',
    action_id: decision,
    style,
    value: buttonValue({ ...of, decision }),
    text: { type: 'plain_text', text: label, emoji: false },
  });
  const link: Button[] =
    url === null
      ? []
      : [{ type: 'button', action_id: 'open', url, text: { type: 'plain_text', text: 'Open the page', emoji: false } }];
  if (!takesClicks || !showsAll) return link;
  return [button('approve', 'Approve', 'primary'), button('deny', 'Deny', 'danger'), ...link];
}

function section(text: string): SectionBlock {
  return { type: 'section', text: { type: 'plain_text', text, emoji: false } };
}

/** In place of a message whose approval has ended: no buttons. */
export function slackOutcome(text: string): SlackMessage & { replace_original: true } {
  return {
    replace_original: true,
    text: escapeMarkup(text),
    blocks: piecesOf(text, SECTION_CHARACTERS_MAX).map(section),
  };
}

export function slackWhisper(text: string): { response_type: 'ephemeral'; replace_original: false; text: string } {
  return { response_type: 'ephemeral', replace_original: false, text: escapeMarkup(text) };
}
