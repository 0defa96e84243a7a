import { expect, test } from 'vitest';
import { quoteInexactNumbers } from '../../domain/json-digits.ts';

const read = (text: string): unknown => JSON.parse(quoteInexactNumbers(text));

test.each([
  ['1795728361000000001', '1795728361000000001'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['9007199254740993', '9007199254740993'],
  ['1.795728361000000001e18', '1795728361000000001'],
  ['0.12345678901234567891', '0.12345678901234567891'],
  ['1e400', '1e400'],
  ['9007199254740991', 9_007_199_254_740_991],
  ['1.5e-7', 1.5e-7],
  ['0.30000000000000004', 0.300_000_000_000_000_04],
  ['100000000000000000000.00', 100_000_000_000_000_000_000],
  ['-0.0000000000000000', -0],
  ['1e22', 1e22],
])('%s is read as %j', (token, value) => {
  expect(read(`{"a":[${token},{"b":${token}}],"c":${token}}`)).toEqual({ a: [value, { b: value }], c: value });
});

test('what stands in a text stays as it is', () => {
  const value = { 'a:12345678901234567890': ['\\":12345678901234567890', ',1e400', '\\'] };
  expect(read(JSON.stringify(value))).toEqual(value);
});

test.each(['0012345678901234567890', '1.2.34567890123456789', '12345678901234567890x', '-'])(
  '%s stays refused',
  (text) => {
    expect(() => read(`[${text}]`)).toThrow(SyntaxError);
  },
);
