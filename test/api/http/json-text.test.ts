import { describe, expect, it } from 'vitest';
import { parseJsonText } from '../../../api/http/json-text.ts';
import { ServiceError } from '../../../domain/errors.ts';

function issueOf(text: string): unknown {
  try {
    parseJsonText(text);
  } catch (error) {
    if (error instanceof ServiceError) return { code: error.code, ...error.details };
    throw error;
  }
  return 'accepted';
}

describe('parseJsonText', () => {
  it.each([
    '{}',
    '[]',
    'null',
    '"a\\"b\\\\"',
    '{"a":[1,-2.5e3,true,false,null,{"b":"}]{[,:"}],"c":{"a":1}}',
    ' \n{ "a" : { "a" : 1 } , "b" : [ { "a" : 1 } , { "a" : 2 } ] }\t',
    '{"constructor":"a","prototype":1,"toString":2}',
    '"\\ud83d\\ude00"',
    '9007199254740991',
    '0.1',
  ])('reads %s as JSON.parse does', (text) => {
    expect(parseJsonText(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['{"a":1,}', 'body', 'is not valid JSON at line 1, column 8: a name in double quotes was expected'],
    ['', 'body', 'is not valid JSON at line 1, column 1: a value was expected'],
    ['{"a":{"b":1,"c":2,"b":3}}', 'body.a.b', 'appears twice in the same object'],
    ['{"a":[0,{"b":1,"\\u0062":3}]}', 'body.a[1].b', 'appears twice in the same object'],
    ['{"a":{"__proto__":{}}}', 'body.a.__proto__', 'is not an allowed key'],
    ['{"a":{"\\u005f_proto__":{}}}', 'body.a.__proto__', 'is not an allowed key'],
    ['{"a":["x","y\\u0000"]}', 'body.a[1]', 'contains a NUL character, which cannot be stored'],
    ['{"a\\u0000":1}', 'body.a\0', 'contains a NUL character, which cannot be stored'],
    ['{"a":"\\ud83d"}', 'body.a', 'contains half of a surrogate pair, which is not valid Unicode'],
    ['{"a":[1,1e999]}', 'body.a[1]', 'is a number too large to be held'],
    [
      '{"amount":9007199254740993}',
      'body.amount',
      'is an integer beyond 2^53 - 1, which JSON numbers do not hold exactly: send it as a string',
    ],
  ])('refuses %s', (text, path, message) => {
    expect(issueOf(text)).toEqual({ code: 'VALIDATION_ERROR', issues: [{ path, message }] });
  });

  it('takes 64 levels and refuses 65, and any number of them without running out of stack', () => {
    expect(issueOf('['.repeat(64) + ']'.repeat(64))).toBe('accepted');
    const tooDeep = { issues: [{ path: 'body', message: 'is nested deeper than 64 levels' }] };
    expect(issueOf('['.repeat(65) + ']'.repeat(65))).toMatchObject(tooDeep);
    expect(issueOf('{"a":'.repeat(65) + '1' + '}'.repeat(65))).toMatchObject(tooDeep);
    expect(issueOf('['.repeat(500_000) + ']'.repeat(500_000))).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('reads a megabyte in well under a second', () => {
    const text = JSON.stringify({ a: 'x'.repeat(500_000), b: Array.from({ length: 50_000 }, (_, i) => i) });
    const before = process.cpuUsage();
    parseJsonText(text);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});
