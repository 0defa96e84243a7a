import { CelScalar, celFunc, celUint, objectType, type CelFunc } from '@bufbuild/cel';
import { timestampFromDate, TimestampSchema } from '@bufbuild/protobuf/wkt';

/** The library takes `int("")` for 0, `double("abc")` for NaN, a number for milliseconds: policies would let pass. */
const TIMESTAMP = objectType(TimestampSchema);
const { DOUBLE, INT, STRING, UINT } = CelScalar;

const INT_TEXT = /^-?\d+$/;
const UINT_TEXT = /^\d+$/;
const DOUBLE_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const DOUBLE_NAMES: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '+Infinity': Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

export const conversionFunctions: CelFunc[] = [
  celFunc('int', [STRING], INT, (text) => {
    if (!INT_TEXT.test(text)) throw new Error('the text is no int');
    return bounded(BigInt(text), -(2n ** 63n), 2n ** 63n - 1n);
  }),
  celFunc('uint', [STRING], UINT, (text) => {
    if (!UINT_TEXT.test(text)) throw new Error('the text is no uint');
    return celUint(bounded(BigInt(text), 0n, 2n ** 64n - 1n));
  }),
  celFunc('double', [STRING], DOUBLE, (text) => {
    const named = Object.hasOwn(DOUBLE_NAMES, text) ? DOUBLE_NAMES[text] : undefined;
    if (named !== undefined) return named;
    if (!DOUBLE_TEXT.test(text)) throw new Error('the text is no double');
    return Number(text);
  }),
  celFunc('timestamp', [INT], TIMESTAMP, (seconds) => {
    const time = new Date(Number(seconds) * 1_000);
    const year = time.getUTCFullYear();
    if (Number.isNaN(year) || year < 1 || year > 9_999) throw new Error('the time is out of range');
    return timestampFromDate(time);
  }),
];

/** The conversions from texts. A long text is never valid for them. */
export const CONVERSIONS: readonly string[] = ['int', 'uint', 'double', 'bool', 'timestamp', 'duration'];

function bounded(value: bigint, least: bigint, most: bigint): bigint {
  if (value < least || value > most) throw new Error('the number is out of range');
  return value;
}
