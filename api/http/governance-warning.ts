import { z } from 'zod';
import { GOVERNANCE_WARNING_CODES } from '../../domain/governance-warnings.ts';

export const governanceWarningSchema = z
  .strictObject({
    path: z.string().describe('Dotted path into what was written, such as `document.rules[0].match.actions[1]`.'),
    code: z.enum(GOVERNANCE_WARNING_CODES).describe('Each code is explained in docs/reference/warnings.md.'),
    message: z.string(),
  })
  .meta({ id: 'GovernanceWarning' });
