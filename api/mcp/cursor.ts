import { invalidParams } from './protocol-errors.ts';

/** Opaque cursor of the next page's start. It grants nothing: the page is read with its caller's rights. */
export function cursorOf(position: string): string {
  return Buffer.from(position, 'utf8').toString('base64url');
}

/** @throws {ProtocolError} when it does not match the form. */
export function positionOf(cursor: string, form: RegExp): string {
  const position = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!form.test(position)) throw invalidParams('The cursor is not one of this list: begin again without it.');
  return position;
}
