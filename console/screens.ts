import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';

type Load = () => Promise<Record<string, ComponentType>>;

/** A screen: its path below `/console`, the module that is loaded when it is opened, and the component in it. */
interface Screen {
  path: string;
  load: Load;
  component: string;
}

const of = (path: string, load: () => Promise<unknown>, component: string): Screen => ({
  path,
  load: load as Load,
  component,
});

/** Every screen. A link to a screen that is not here would lead nowhere, so the rail and ⌘K are held to it by a test. */
export const SCREENS: readonly Screen[] = [
  of('/e/$environmentId/effects', () => import('./routes/effects.tsx'), 'EffectsScreen'),
  of('/e/$environmentId/effects/$id', () => import('./routes/effect.tsx'), 'EffectScreen'),
];

export function routesOf(parent: AnyRoute): AnyRoute[] {
  return SCREENS.map(({ path, load, component }) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      component: lazyRouteComponent(load, component),
    }),
  );
}

export interface Area {
  title: string;
  path: string;
  /** After `g`. */
  key?: string;
}

/** What the rail lists, in groups. The paths stand below `/e/{id}`. */
export const RAIL: readonly { group: string; areas: readonly Area[] }[] = [
  {
    group: 'Work',
    areas: [{ title: 'Effects', path: '/effects', key: 'e' }],
  },
];

/** Screens of the workspace, which keep the environment as `?e=`. */
export const WORKSPACE_AREAS: readonly Area[] = [];
