import type { ImpactQuantity } from '../actions.ts';
import { cutText } from '../cut-text.ts';
import type { Json, JsonObject } from '../json.ts';
import { countText, moneyText } from '../money.ts';
import type { Field } from '../previews/preview-blocks.ts';

/** What an invocation will do, in one sentence of three parts, of which the middle one is shown large. */
export interface Headline {
  /** "Refund" */
  begin: string;
  /** "600.00 USD"; null where it moves no money. */
  amount: string | null;
  /** "of payment pi_1004" */
  end: string | null;
}

export interface Described {
  adapterType: string;
  actionName: string;
  /** In the words of whoever made the action. */
  actionDescription: string | null;
  input: JsonObject;
  target: JsonObject;
  impact: readonly ImpactQuantity[];
  /** What is sent, as names and values. The sentence takes what it says from it, never from an input that is not sent. */
  fields: readonly Field[];
}

const DESCRIPTION_CHARACTERS_MAX = 120;
const OBJECT_CHARACTERS_MAX = 80;
/** Numbers and truth values name nothing. */
const IS_PLAIN = /^(?:[\d.+-]+|true|false|null)$/;
/** A value that names something: no spaces, nothing that cannot be seen. */
const NAMES_SOMETHING = /^[\p{L}\p{N}_.@:+/#-]{1,80}$/u;

/** "Refund 600.00 USD of payment pi_1004", "Send an email to ada@example.com: Your invoice", "Refund a payment: 600.00 USD, payment pay_1004" */
export function headlineOf(described: Described): Headline {
  const { adapterType, input, target, impact } = described;
  const amount = amountText(impact);
  switch (adapterType) {
    case 'stripe.refund':
      return { begin: 'Refund', amount, end: `of payment ${textOf(input['payment_intent'])}` };
    case 'resend.email':
      return {
        begin: `Send an email to ${recipientsText(input)}: ${textOf(input['subject'])}`,
        amount: null,
        end: null,
      };
    case 'github.issue_comment':
      return {
        begin: `Comment on issue ${textOf(target['repository'])}#${textOf(target['issue'])}`,
        amount: null,
        end: null,
      };
    default:
      return ownWords(described, amount);
  }
}

/** Verbs that an action which moves money is named for, and whether the amount is a part of its object: "600.00 USD of payment pay_1004". */
const MONEY_VERBS: Record<string, 'of' | ','> = {
  refund: 'of',
  capture: 'of',
  charge: ',',
  credit: ',',
  pay: ',',
  payout: ',',
  transfer: ',',
};

function ownWords({ actionName, actionDescription, impact, fields }: Described, amount: string | null): Headline {
  // One of something is what a sentence says anyway.
  const counts = impact.filter(({ currency, amount }) => currency === undefined && amount > 1).map(countedText);
  const parts = [...counts, ...objectOf(fields)];
  const end = parts.length === 0 ? null : parts.join(', ');
  const verb = actionName.split(/[._-]/).find((word) => Object.hasOwn(MONEY_VERBS, word));
  if (amount !== null && verb !== undefined) {
    const joint = MONEY_VERBS[verb] === 'of' && counts.length === 0 ? 'of ' : ', ';
    return { begin: capitalized(verb), amount, end: end === null ? null : `${joint}${end}` };
  }
  const words = inTwo(actionDescription)[0];
  const begin = words === '' ? `Run ${actionName}` : words;
  if (amount === null) return { begin: end === null ? begin : `${begin}: ${end}`, amount, end: null };
  return { begin: `${begin}:`, amount, end: end === null ? null : `, ${end}` };
}

/** What the heading does not say of an action's description. */
export function restOf(description: string | null, { begin }: Headline): string {
  const [first, rest] = inTwo(description);
  return begin.replace(/:$/, '') === first ? rest : (description ?? '');
}

/** The first sentence of a description, short enough for a heading, and the rest. Empty where nothing is said. */
function inTwo(description: string | null): [first: string, rest: string] {
  const text = (description ?? '').trim();
  const [sentence = ''] = text.split(/(?<=[.!?])\s|\n/);
  return [cutText(sentence.replace(/\.$/, ''), DESCRIPTION_CHARACTERS_MAX), text.slice(sentence.length).trim()];
}

function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** Several currencies are all said. */
function amountText(impact: readonly ImpactQuantity[]): string | null {
  const texts = impact.flatMap(({ currency, amount, bound }) =>
    currency === undefined ? [] : [`${bound === 'upper_bound' ? 'at most ' : ''}${moneyText(amount, currency)}`],
  );
  return texts.length === 0 ? null : texts.join(' and ');
}

function countedText({ dimension, amount, bound }: ImpactQuantity): string {
  const words = dimension.replaceAll('_', ' ');
  return `${bound === 'upper_bound' ? 'at most ' : ''}${countText(amount)} ${words}`;
}

/** The first of the fields that names something: "payment pay_1004". */
function objectOf(fields: readonly Field[]): string[] {
  const found = fields.find(
    ({ label, value }) => /^body\.[^.[]+$/.test(label) && NAMES_SOMETHING.test(value) && !IS_PLAIN.test(value),
  );
  return found === undefined ? [] : [`${cutText(fieldName(found.label), OBJECT_CHARACTERS_MAX)} ${found.value}`];
}

/** `payment_intent` of `body.payment_intent`. Empty for the body itself. */
export function memberName(label: string): string {
  return label.replace(/^body\.?/i, '');
}

/** "payment intent" of `body.payment_intent` */
export function fieldName(label: string): string {
  return memberName(label).replaceAll('_', ' ');
}

function recipientsText(input: JsonObject): string {
  const all = ['to', 'cc', 'bcc'].flatMap((name) => listed(input[name]));
  const [first, ...others] = all.map(textOf);
  return others.length === 0 ? (first ?? '') : `${first} and ${others.length} more`;
}

function listed(value: Json | undefined): Json[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function textOf(value: Json | undefined): string {
  const isText = typeof value === 'string' || typeof value === 'number';
  return isText ? cutText(String(value), DESCRIPTION_CHARACTERS_MAX) : '';
}
