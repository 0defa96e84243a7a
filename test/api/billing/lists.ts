import type { ListDeclarations } from '../http/list-declarations.ts';

export const lists: ListDeclarations = {
  'billing.invoices': {
    whole: {
      lines: 'a few for each meter, change of plan and earlier month, of members that the service writes',
      preceding: 'at most one for each line',
      hostedUrl: 'an address of the payment provider',
      pdfUrl: 'an address of the payment provider',
    },
  },
};
