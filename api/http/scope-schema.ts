import { z } from 'zod';
import { SCOPES } from '../../domain/scopes.ts';

export const scopeSchema = z.enum(SCOPES).meta({ id: 'Scope' });
