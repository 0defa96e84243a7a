import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { newId } from '../../../domain/ids.ts';
import { plainMessage } from '../../db/messages/plain-message.ts';
import { type DeclaredSweeps, deleting } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  rows: {
    'expired-deduplications': async (world) => {
      const { asOwner, tenant } = world.database;
      const message = newId('message');
      await world.transaction((tx) => insertMessages(tx, [plainMessage({ id: message })]));
      await asOwner(
        `INSERT INTO message_deduplications (environment_id, digest, message_id, expires_at)
         SELECT $1, decode(repeat(n, 32), 'hex'), $2, now() - interval '1 second' FROM unnest('{01,02,03}'::text[]) n`,
        [tenant.environmentId, message],
      );
      return deleting(world, 'message_deduplications', {
        ids: ['01', '02', '03'].map((n) => `${tenant.environmentId}/${n.repeat(32)}`),
        idSql: `environment_id || '/' || encode(digest, 'hex')`,
        poison: `get_byte(OLD.digest, 0) = 2`,
      });
    },
  },
  steps: {
    'old-messages': {
      delete: 'delete_old_messages',
      delete_dead_letters: 'delete_old_dead_letters',
    },
  },
};
