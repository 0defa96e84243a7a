import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A message with an attempt and a deduplication window. */
  async plant(owner, { environmentId: environment_id }) {
    const id = newId('message');
    await insert(owner, 'messages', {
      id,
      environment_id,
      url: 'https://example.com/hook',
      method: 'POST',
      max_retries: 5,
      timeout_seconds: 30,
      published_by: {},
      retention: 'week',
      status: 'pending',
      next_attempt_at: new Date(),
    });
    const place = { message_id: id, environment_id };
    await insert(owner, 'message_contents', { ...place, body_kind: 'none' });
    await insert(owner, 'message_attempts', { ...place, number: 1 });
    await insert(owner, 'message_deduplications', {
      environment_id,
      digest: Buffer.alloc(32),
      message_id: id,
      expires_at: new Date(),
    });
  },
  heldElsewhere: { message_content_marks: 'of the installation: test/db/messages/retention.test.ts' },
  writtenBeside: {
    lane_queue: null,
    messages: "published_by ->> 'id' = $1",
    message_attempts: null,
    message_contents: null,
  },
};
