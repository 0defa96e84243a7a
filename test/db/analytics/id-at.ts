import { encodeUuid } from '../../../domain/ids.ts';

let made = 0;

/** An id of that moment, with its prefix. */
export function idAt(prefix: string, at: Date): string {
  const floor = encodeUuid(`${at.getTime().toString(16).padStart(12, '0')}${'0'.repeat(20)}`);
  return `${prefix}_${floor.slice(0, 18)}${String(++made).padStart(4, '0')}`;
}
