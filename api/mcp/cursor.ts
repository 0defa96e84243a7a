import { invalidParams } from './protocol-errors.ts';

/**
 * The cursor of a list: the start of its next page, in an opaque form. A cursor grants nothing: the page is read with the rights of the
 * caller who sends it.
 */
export function cursorOf(position: string): string {
  return Buffer.from(position, 'utf8').toString('base64url');
}

/** @throws {ProtocolError} where it is not of the form. */
export function positionOf(cursor: string, form: RegExp): string {
  const position = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!form.test(position)) throw invalidParams('The cursor is not one of this list: begin again without it.');
  return position;
}
