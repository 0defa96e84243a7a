import type { ChatMessage } from '../../domain/sessions/sessions.ts';
import type { JsonObject } from '../../domain/json.ts';
import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conditionsFor, type Page, pageOf, type Range } from '../page.ts';
import { withShortened } from '../columns.ts';

export interface SessionRecord {
  id: string;
  name: string | null;
  userId: string | null;
  agentId: string | null;
  metadata: JsonObject | null;
  messageCount: number;
  tokenCount: number;
  expiresAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface SessionMessageRecord extends ChatMessage {
  id: string;
  sequence: number;
  tokens: number;
  metadata: JsonObject | null;
  createdAt: Date;
}

/** For `sessions s`. */
const SESSION_COLUMNS = `s.id, s.name, s.user_id AS "userId", s.agent_id AS "agentId", s.metadata,
  s.message_count AS "messageCount", s.token_count::float8 AS "tokenCount", s.expires_at AS "expiresAt", s.created_at AS "createdAt",
  s.updated_at AS "updatedAt"`;

/** For `session_messages m`. A double holds every sequence exactly. */
export const MESSAGE_COLUMNS = `m.id, m.sequence::float8 AS sequence, m.role, m.content, m.name, m.tool_call_id AS "toolCallId",
  m.tool_calls AS "toolCalls", m.metadata, m.tokens, m.created_at AS "createdAt"`;

/** For `sessions s`: one that is past its end is not there, although its row may be until the sweep comes. */
export const LIVE = '(s.expires_at IS NULL OR s.expires_at > now())';

/** Null where there is none, or it is past its end. */
export async function getSession(tx: EnvironmentTransaction, id: string): Promise<SessionRecord | null> {
  return tx.row<SessionRecord>(
    'get_session',
    `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.id = :id AND ${LIVE}`,
    { id },
  );
}

/** The same, with its row locked: appends and other changes of the session wait until the transaction ends. */
export async function lockSession(tx: EnvironmentTransaction, id: string): Promise<SessionRecord | null> {
  return tx.row<SessionRecord>(
    'lock_session',
    `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.id = :id AND ${LIVE} FOR UPDATE`,
    { id },
  );
}

export interface SessionFilter {
  userId?: string | undefined;
  agentId?: string | undefined;
}

const LISTED = withShortened(SESSION_COLUMNS, 's', ['metadata']);

const CONDITIONS = { userId: 's.user_id = :userId', agentId: 's.agent_id = :agentId' };

/** One page, newest first. */
export async function listSessions(
  tx: EnvironmentTransaction,
  asked: SessionFilter & Range,
): Promise<Page<SessionRecord>> {
  return pageOf(tx, {
    name: { variantsOf: 'list_sessions' },
    columns: LISTED,
    from: 'sessions s',
    where: ['s.environment_id = current_environment_id()', LIVE, ...conditionsFor(CONDITIONS, asked)].join(' AND '),
    order: 's.created_at DESC, s.id DESC',
    asked,
  });
}

interface NewSession {
  name: string | null;
  userId: string | null;
  agentId: string | null;
  metadata: JsonObject | null;
  /** Null when it does not expire. */
  ttlSeconds: number | null;
}

export async function createSession(tx: EnvironmentTransaction, session: NewSession): Promise<SessionRecord> {
  const made = await tx.row<SessionRecord>(
    'create_session',
    `INSERT INTO sessions AS s (id, environment_id, name, user_id, agent_id, metadata, expires_at)
     VALUES (:id, current_environment_id(), :name, :userId, :agentId, :metadata, now() + make_interval(secs => :ttlSeconds))
     RETURNING ${SESSION_COLUMNS}`,
    {
      ...session,
      id: newId('session'),
      metadata: session.metadata === null ? null : JSON.stringify(session.metadata),
    },
  );
  if (made === null) throw new Error('no session was made');
  return made;
}

/** Changes the members that are there; the others stay. `ttlSeconds` counts from now, null ends the expiry. Returns null when the session does not exist. */
export async function updateSession(
  tx: EnvironmentTransaction,
  id: string,
  changes: { [Member in keyof NewSession]?: NewSession[Member] | undefined },
): Promise<SessionRecord | null> {
  const { name, userId, agentId, metadata, ttlSeconds } = changes;
  const sets = [
    ...(name === undefined ? [] : ['name = :name']),
    ...(userId === undefined ? [] : ['user_id = :userId']),
    ...(agentId === undefined ? [] : ['agent_id = :agentId']),
    ...(metadata === undefined ? [] : ['metadata = :metadata']),
    ...(ttlSeconds === undefined ? [] : ['expires_at = now() + make_interval(secs => :ttlSeconds)']),
    'updated_at = now()',
  ];
  return tx.row<SessionRecord>(
    { variantsOf: 'update_session' },
    `UPDATE sessions s SET ${sets.join(', ')} WHERE s.id = :id AND ${LIVE} RETURNING ${SESSION_COLUMNS}`,
    {
      id,
      name: name ?? null,
      userId: userId ?? null,
      agentId: agentId ?? null,
      metadata: metadata === undefined || metadata === null ? null : JSON.stringify(metadata),
      ttlSeconds: ttlSeconds ?? null,
    },
  );
}
