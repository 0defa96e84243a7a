import { z } from 'zod';
import type { ListedPreviewRecord, PreviewRecord } from '../../db/previews/records.ts';
import { previewBlockSchema } from '../../domain/adapters/preview-block.ts';
import { impactQuantitySchema } from '../../domain/impact.ts';
import { anyJson, durationSchema, orShortened } from '../http/common-fields.ts';
import { requestMembers } from '../actions/request-members.ts';

const jsonObject = z.record(z.string(), anyJson);
const dateTime = z.iso.datetime();

export const EXPIRES_IN_SECONDS_DEFAULT = 15 * 60;

const expiresIn = durationSchema({ from: 'PT1M', to: 'PT24H', example: 'PT15M' }).optional();

export const previewBody = z
  .strictObject({
    input: requestMembers.input,
    operationKey: requestMembers.operationKey.describe(
      'The operation key of the later invocation, which need not name it again.',
    ),
    dependsOn: requestMembers.dependsOn,
    compensates: requestMembers.compensates,
    retryOf: requestMembers.retryOf,
    runId: requestMembers.runId,
    agentId: requestMembers.agentId,
    expiresIn: expiresIn.describe(
      'ISO 8601 duration, PT1M to PT24H. Default: as long as the longest `expiresIn` of the rules that would ask people, and at least PT15M.',
    ),
  })
  .meta({ id: 'PreviewRequest' });

export const refreshBody = z
  .strictObject({
    expiresIn: expiresIn.describe(
      'ISO 8601 duration, PT1M to PT24H. Default: as long as the old one, and as long as people would be asked now.',
    ),
  })
  .meta({ id: 'PreviewRefreshRequest' });

export const previewParams = z.strictObject({ id: z.string().min(1).max(100) });

export const allowanceSchema = z
  .strictObject({
    limitId: z.string(),
    name: z.string(),
    dimension: z.string(),
    currency: z.string().nullable(),
    unit: z.string(),
    cap: z.int(),
    period: z.string(),
    available: z.int(),
    requested: z.int(),
    sufficient: z.boolean(),
    refusal: z.string().nullable(),
  })
  .meta({ id: 'PreviewAllowance', description: 'What an impact limit would allow now. A dispatch checks again.' });

const attachmentSchema = z
  .strictObject({
    id: z.string(),
    filename: z.string(),
    contentType: z.string(),
    size: z.int().min(0).describe('Bytes.'),
    sha256: z.string().describe('Hex. Other bytes are not sent.'),
  })
  .meta({ id: 'Attachment', description: 'A file that a request carries.' });

const bodyPartSchema = z
  .union([
    z.strictObject({ text: z.string() }),
    z.strictObject({ file: attachmentSchema, encoding: z.enum(['raw', 'base64']) }),
  ])
  .meta({ id: 'BodyPart', description: 'Text that is sent as it is, or the bytes of a file.' });

/** Every field is always present; null means no value (docs/versioning.md). */
export const previewSchema = z
  .strictObject({
    id: z.string(),
    action: z.strictObject({ id: z.string(), name: z.string(), versionId: z.string() }),
    adapter: z.strictObject({ type: z.string(), version: z.string() }),
    environment: z.strictObject({ id: z.uuid(), name: z.string(), kind: z.string() }),
    target: jsonObject,
    request: z
      .strictObject({
        method: z.string(),
        url: z.string(),
        headers: z.record(z.string(), z.string()),
        body: z.string().nullable(),
        bodyEncoding: z.enum(['utf8', 'base64']),
        bodyParts: z
          .array(bodyPartSchema)
          .optional()
          .describe(
            'The body of a request that carries files, piece by piece; `body` is null then. Only there where it carries any.',
          ),
      })
      .meta({
        id: 'PreparedRequest',
        description: 'Exactly what will be sent; credentials stand as `{{secret:NAME}}`.',
      }),
    impact: z.array(impactQuantitySchema),
    blocks: z.array(previewBlockSchema),
    preconditions: jsonObject.describe('What must still hold right before the dispatch. Part of the binding.'),
    capabilities: jsonObject,
    allowances: z.array(allowanceSchema),
    evidenceObservedAt: dateTime,
    expiresAt: dateTime,
    expired: z.boolean().describe('It can no longer be used: its time is over, or another one supersedes it.'),
    requestDigest: z.string(),
    bindingDigest: z.string().describe('What an approval agrees to.'),
    supersedes: z.string().nullable(),
    effectId: z.string().nullable().describe('The effect that executes it, once one is admitted.'),
    createdAt: dateTime,
  })
  .meta({ id: 'ActionPreview' });

export const listedPreviewSchema = previewSchema
  .extend({ request: orShortened(previewSchema.shape.request), blocks: orShortened(previewSchema.shape.blocks) })
  .meta({ id: 'ListedActionPreview' });

export type ActionPreview = z.input<typeof previewSchema>;

export function presentPreview(preview: PreviewRecord): ActionPreview {
  return { ...presentRest(preview), request: preview.request, blocks: preview.blocks };
}

export function presentListedPreview(preview: ListedPreviewRecord): z.input<typeof listedPreviewSchema> {
  return { ...presentRest(preview), request: preview.request, blocks: preview.blocks };
}

type Rest = Omit<ActionPreview, 'request' | 'blocks'>;

function presentRest(preview: Omit<PreviewRecord, 'request' | 'blocks'>): Rest {
  return {
    id: preview.id,
    action: { id: preview.actionId, name: preview.actionName, versionId: preview.versionId },
    adapter: { type: preview.adapterType, version: preview.adapterVersion },
    environment: preview.environment,
    target: preview.target,
    impact: preview.impact,
    preconditions: { ...preview.preconditions },
    capabilities: { ...preview.capabilities },
    allowances: preview.allowances,
    evidenceObservedAt: preview.evidenceObservedAt.toISOString(),
    expiresAt: preview.expiresAt.toISOString(),
    expired: preview.supersededBy !== null || preview.expiresAt <= new Date(),
    requestDigest: preview.requestDigest,
    bindingDigest: preview.bindingDigest,
    supersedes: preview.supersedes,
    effectId: preview.effectId,
    createdAt: preview.createdAt.toISOString(),
  };
}
