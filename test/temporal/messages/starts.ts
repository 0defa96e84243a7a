import { deliverMessageStart } from '../../../temporal/messages/deliver-message.ts';
import { paceMessagesStart } from '../../../temporal/messages/pace-messages.ts';
import { type DeclaredStart, ENVIRONMENT, OF_TENANT, REF } from '../start-declarations.ts';

export const starts: DeclaredStart[] = [
  ['message/msg_1', deliverMessageStart(REF, 'q', ENVIRONMENT), [...OF_TENANT, 'Stage']],
  ['message-pacer/env', paceMessagesStart(REF, 'q', ENVIRONMENT), OF_TENANT],
];
