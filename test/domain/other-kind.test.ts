import { expect, it } from 'vitest';
import { newId } from '../../domain/ids.ts';
import { otherKindAmong, otherKindText } from '../../domain/other-kind.ts';

it('says what an id is of, by its form', () => {
  expect(otherKindText(newId('effect'))).toBe("that is an effect's id");
  expect(otherKindText(newId('run'))).toBe("that is a run's id");
  expect(otherKindText(newId('urlGroup'))).toBe("that is a URL group's id");
  expect(otherKindText(newId('apiKey'))).toBe("that is an API key's id");
  expect(otherKindText(newId('actionVersion'))).toBe("that is a version's id");
  for (const text of ['eff_1', 'xyz_0123456789012345678901', 'refund.create', ''])
    expect(otherKindText(text)).toBeNull();
});

it('says nothing where an id of the kind that is missing is among them', () => {
  const [effect, topic, subscription] = [newId('effect'), newId('topic'), newId('subscription')];
  expect(otherKindAmong('invocation', [effect])).toBe("that is an effect's id");
  expect(otherKindAmong('effect', [effect])).toBeNull();
  expect(otherKindAmong('subscription', [topic, subscription])).toBeNull();
  expect(otherKindAmong('subscription', [topic, effect])).toBe("that is an effect's id");
  expect(otherKindAmong('topic', ['orders'])).toBeNull();
});
