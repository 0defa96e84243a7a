import { type ClickedButton, parseButton } from '../../domain/integrations/clicks.ts';
import type { ChatUser } from '../../domain/integrations/integrations.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';

export interface Click extends ClickedButton {
  user: ChatUser;
  /** Where Slack reads the answer. Null for Discord, which reads the reply. */
  responseUrl: string | null;
}

/** Returns null when no button of ours was clicked. Source: "Reference: block_actions payload" (docs.slack.dev). */
export function clickOfSlack(payload: JsonObject): Click | null {
  const { type, user, actions, response_url: responseUrl } = payload;
  const [action] = Array.isArray(actions) ? actions : [];
  if (type !== 'block_actions' || !isJsonObject(user) || !isJsonObject(action)) return null;
  const button = parseButton(text(action['value']));
  const id = text(user['id']);
  if (button === null || id === '') return null;
  const name = text(user['username']) || text(user['name']) || id;
  return { ...button, user: shown(id, name), responseUrl: text(responseUrl) || null };
}

/**
 * Team of the user who clicked, or empty. Several workspaces may have one app with the same signature, and user ids are unique only within
 * a team. Source: "User types" (docs.slack.dev).
 */
export function teamOfSlack({ user, team }: JsonObject): string {
  const ofUser = isJsonObject(user) ? text(user['team_id']) : '';
  return ofUser || (isJsonObject(team) ? text(team['id']) : '');
}

const MESSAGE_COMPONENT = 3;

/** In a server the user is in `member`, elsewhere beside it. Source: "Interaction object" (discord.com/developers). */
export function clickOfDiscord(payload: JsonObject, applicationId: string | null): Click | null {
  const { type, data, member, application_id: ofApplication } = payload;
  const user = isJsonObject(member) ? member['user'] : payload['user'];
  if (type !== MESSAGE_COMPONENT || ofApplication !== applicationId) return null;
  if (!isJsonObject(data) || !isJsonObject(user)) return null;
  const button = parseButton(text(data['custom_id']));
  const id = text(user['id']);
  if (button === null || id === '') return null;
  return { ...button, user: shown(id, text(user['username']) || id), responseUrl: null };
}

function shown(id: string, name: string): ChatUser {
  return { id: id.slice(0, 100), name: name.slice(0, 200) };
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
