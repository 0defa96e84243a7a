import type { AnyRoute } from '../http/define-route.ts';
import { createPreviewRoute } from './create-preview.ts';
import { getPreviewRoute } from './get-preview.ts';
import { refreshPreviewRoute } from './refresh-preview.ts';

export const previewRoutes: AnyRoute[] = [createPreviewRoute, getPreviewRoute, refreshPreviewRoute];
