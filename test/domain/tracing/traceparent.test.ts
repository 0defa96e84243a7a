import { describe, expect, it } from 'vitest';
import { formatTraceparent, parseTraceparent } from '../../../domain/tracing/traceparent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('parseTraceparent', () => {
  it.each([
    ['a sampled one', `00-${TRACE}-${SPAN}-01`, true],
    ['an unsampled one', `00-${TRACE}-${SPAN}-00`, false],
    ['flags that it does not know', `00-${TRACE}-${SPAN}-ff`, true],
    ['a later version with more behind it', `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, true],
    ['one between blanks', ` 00-${TRACE}-${SPAN}-01 `, true],
  ])('reads %s', (_, text, isSampled) => {
    expect(parseTraceparent(text)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
  });

  it.each([
    ['nothing', ''],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['version 00 with more behind it', `00-${TRACE}-${SPAN}-01-more`],
    ['a short trace', `00-${TRACE.slice(1)}-${SPAN}-01`],
  ])('begins a trace at %s', (_, text) => {
    expect(parseTraceparent(text)).toBeNull();
  });

  it('reads what formatTraceparent writes', () => {
    const parent = { traceId: TRACE, spanId: SPAN, isSampled: false };
    expect(formatTraceparent(parent)).toHaveLength(55);
    expect(parseTraceparent(formatTraceparent(parent))).toEqual(parent);
  });
});
