import type { AnyRoute } from '../http/define-route.ts';
import { listAuditRoute } from './list-audit.ts';

export const auditRoutes: AnyRoute[] = [listAuditRoute];
