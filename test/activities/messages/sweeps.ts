import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { newId } from '../../../domain/ids.ts';
import { plainMessage } from '../../db/messages/plain-message.ts';
import { type DeclaredSweeps, deleting, starting, threeIds } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  rows: {
    'lost-messages': async (world) => {
      const ids = threeIds('message');
      await world.transaction((tx) =>
        insertMessages(
          tx,
          ids.map((id) => plainMessage({ id })),
        ),
      );
      await world.database.asOwner(
        `SET session_replication_role = 'replica';
         UPDATE messages SET created_at = now() - interval '1 hour' WHERE id IN ('${ids.join("', '")}')`,
      );
      return starting(ids, 'wakeMessage');
    },
    'held-messages': async (world) => {
      const { development, staging, production } = world.database.tenants;
      const tenants = [development, staging, production];
      for (const tenant of tenants) {
        const id = newId('message');
        await world.database.db.withEnvironment(tenant, (tx) => insertMessages(tx, [plainMessage({ id })]));
        const held = `UPDATE messages SET held_at = now() - interval '1 hour', begun_at = now() WHERE id = $1`;
        await world.database.asOwner(held, [id]);
      }
      return starting(tenants.map((tenant) => tenant.environmentId).sort(), 'resumeMessages');
    },
    'due-message-pacers': async (world) => {
      const { development, staging, production } = world.database.tenants;
      const tenants = [development, staging, production];
      for (const tenant of tenants) {
        const id = newId('message');
        await world.database.db.withEnvironment(tenant, (tx) => insertMessages(tx, [plainMessage({ id })]));
        await world.database.asOwner(
          `SET session_replication_role = 'replica';
           UPDATE messages SET status = 'scheduled', paced = true, next_attempt_at = now() + interval '1 minute' WHERE id = '${id}'`,
        );
      }
      return starting(tenants.map((tenant) => tenant.environmentId).sort(), 'paceMessages');
    },
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
