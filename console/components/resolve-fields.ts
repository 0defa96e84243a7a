import type { Schema } from '../api/client.ts';
import type { Field, FieldValues } from './fields.tsx';

/** What a person says of an outcome that nobody saw: of an effect, or of a plain invocation. */

type Resolution = Schema<'ResolveRequest'>;

export function resolveFields({ needsPartial }: { needsPartial: boolean }): Field[] {
  return [
    {
      name: 'outcome',
      label: 'What became of it',
      kind: 'choice',
      required: true,
      options: [
        { value: 'succeeded', label: 'It succeeded' },
        { value: 'failed', label: 'It failed' },
      ],
    },
    {
      name: 'partialEffect',
      label: 'If it failed, what it left behind',
      kind: 'choice',
      options: [
        { value: 'none', label: 'Nothing' },
        { value: 'possible', label: 'Possibly something' },
        { value: 'confirmed', label: 'Something, for certain' },
      ],
      ...(needsPartial ? { hint: 'Needed for a failure: part of it may have happened.' } : {}),
    },
    {
      name: 'summary',
      label: 'How you know',
      kind: 'area',
      required: true,
      hint: 'It stays in the receipt for good, under your name.',
    },
    {
      name: 'url',
      label: 'Where it can be looked up',
      hint: 'An address in the provider’s dashboard, for instance.',
    },
  ];
}

export function resolutionOf({ outcome, partialEffect, summary = '', url }: FieldValues): Resolution {
  const isPartial = outcome === 'failed' && partialEffect !== undefined && partialEffect !== '';
  return {
    outcome: outcome as Resolution['outcome'],
    ...(isPartial ? { partialEffect: partialEffect as NonNullable<Resolution['partialEffect']> } : {}),
    evidence: { summary, ...(url === undefined || url === '' ? {} : { url }) },
  };
}
