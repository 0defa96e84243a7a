import { deliverMessageStart } from '../../../temporal/messages/deliver-message.ts';
import { paceMessagesStart } from '../../../temporal/messages/pace-messages.ts';
import { resumeMessagesStart } from '../../../temporal/messages/resume-messages.ts';
import { startMessagesStart } from '../../../temporal/messages/start-messages.ts';
import { type DeclaredStart, ENVIRONMENT, OF_TENANT, REF } from '../start-declarations.ts';

export const starts: DeclaredStart[] = [
  ['message/msg_1', deliverMessageStart(REF, 'q', { environmentName: ENVIRONMENT }), [...OF_TENANT, 'Stage']],
  ['start-messages/msg_1', startMessagesStart({ ...REF, messageIds: ['msg_1'] }, 'q', ENVIRONMENT), OF_TENANT],
  ['message-pacer/env', paceMessagesStart(REF, 'q', ENVIRONMENT), OF_TENANT],
  ['resume-messages/env', resumeMessagesStart(REF, 'q', ENVIRONMENT), OF_TENANT],
  ['resume-messages/env', resumeMessagesStart(REF, 'q', ENVIRONMENT, false), OF_TENANT],
];
