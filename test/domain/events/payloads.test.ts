import { describe, expect, test } from 'vitest';
import { PLATFORM_EVENT_TYPES } from '../../../domain/events/event-types.ts';
import { payloadOf, PLATFORM_EVENTS } from '../../../domain/events/platform-events.ts';
import { EXAMPLES } from './snapshots.ts';

describe('the payload of a platform event is made of the snapshot of its row', () => {
  test.each(PLATFORM_EVENT_TYPES)('%s, as the documentation declares it', (type) => {
    const [snapshot, payload] = EXAMPLES[type];
    expect(payloadOf(type, snapshot)).toEqual(payload);
    expect(PLATFORM_EVENTS[type].data.parse(payload)).toEqual(payload);
  });

  test.each(PLATFORM_EVENT_TYPES)('%s shows no column that its payload does not name', (type) => {
    const [snapshot, payload] = EXAMPLES[type];
    const more = { ...snapshot, input: 'a secret', headers: { authorization: 'a secret' } };
    expect(payloadOf(type, more)).toEqual(payload);
  });

  test('a snapshot that lacks a column is refused, and the error names it', () => {
    const { current_version_id: _gone, ...snapshot } = EXAMPLES['action.created'][0];
    expect(() => payloadOf('action.created', snapshot)).toThrow(/current_version_id/);
  });
});

test('an internal event says what TypeScript raised, and whether the channels hear of it', () => {
  expect(payloadOf('signing_key.rotated', { signingKeyId: 'whk_1', to_channels: true })).toEqual({
    signingKeyId: 'whk_1',
    toChannels: true,
  });
  expect(payloadOf('approval.expiring', { approvalId: 'apr_1' })).toEqual({ approvalId: 'apr_1' });
});
