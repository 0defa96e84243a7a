import type { ActionsBlock, Button, KnownBlock, SectionBlock } from '@slack/types';
import { type ChatText, DOES_NOT_FIT, piecesOf, sectionsOf } from './approval-message.ts';
import { buttonValue } from './clicks.ts';
import { escapeMarkup } from '../markup-characters.ts';

/** Slack takes 50 blocks, and 3,000 characters in the text of a section. */
const SECTIONS_MAX = 40;
const SECTION_CHARACTERS_MAX = 3_000;
/**
 * `chat.postMessage` bounds all blocks together as well, at some 12,000 characters "with a buffer for block containers", and answers
 * `msg_blocks_too_long`. No page documents it: slackapi/bolt-js issues 2509 and 2867. We count their JSON, and leave room for the buttons.
 */
const BLOCKS_JSON_CHARACTERS_MAX = 10_000;
/**
 * Slack sends the message along with each click, in a form: api/integrations/serve-interactions.ts takes 64 KiB, with what else Slack
 * says.
 */
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

/**
 * The message for an approval. Texts are plain, so that a text of an agent is no link and mentions nobody. It has buttons only if all of
 * it fits: a user who clicks has been shown everything.
 */
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

/** Only the user who clicked sees it. */
export function slackWhisper(text: string): { response_type: 'ephemeral'; replace_original: false; text: string } {
  return { response_type: 'ephemeral', replace_original: false, text: escapeMarkup(text) };
}
