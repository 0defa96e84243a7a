import { expect, test } from 'vitest';
import { newId } from '../../domain/ids.ts';
import { idsOfWorkflow, touchedIds } from '../../domain/touched-ids.ts';

const [invocationId, effectId, approvalId] = [newId('invocation'), newId('effect'), newId('approval')];

test('names the records of a path and of a reply, by the form of their ids', () => {
  expect(touchedIds({ id: effectId }, { id: invocationId, effectId, approvalId })).toEqual({
    invocationId,
    effectId,
    approvalId,
  });
});

test('leaves out whatever is no id of ours, and every other member', () => {
  const held = {
    id: 'a secret',
    messageId: 7,
    effectId: `${effectId}x`,
    input: { id: invocationId },
    note: invocationId,
  };
  expect(touchedIds(held, null, 'text', [held, null, 'text', [[{ id: invocationId }]]])).toEqual({});
});

test('names the first id of a list and how many there are, also where an item is a list', () => {
  const [first, second, third] = [newId('message'), newId('message'), newId('message')];
  const results = [
    { error: { code: 'VALIDATION_ERROR' } },
    { messageId: first },
    [{ messageId: second }, { messageId: third }],
  ];
  expect(touchedIds({ id: effectId }, results)).toEqual({ effectId, messageId: first, messageIdCount: 3 });
});

test('reads the id of a workflow', () => {
  expect(idsOfWorkflow(`invocation/${invocationId}`)).toEqual({ invocationId });
  expect(idsOfWorkflow('maintenance/sweep-workflow-2026-11-22T05:00:00Z')).toEqual({});
});
