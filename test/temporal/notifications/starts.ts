import { sendEmailStart } from '../../../temporal/notifications/send-email.ts';
import { type DeclaredStart, ENVIRONMENT, OF_TENANT, REF } from '../start-declarations.ts';

export const starts: DeclaredStart[] = [
  ['email/eml_1', sendEmailStart({ ...REF, emailId: 'eml_1' }, 'q', ENVIRONMENT), [...OF_TENANT, 'Stage']],
];
