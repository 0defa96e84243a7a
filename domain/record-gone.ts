/**
 * A record that a workflow is about is not there. The database was restored to a time before it, while Temporal went on (docs/ha.md): it will
 * not come, however often it is looked for.
 */
export class RecordGone extends Error {
  override readonly name = 'RecordGone';
}
