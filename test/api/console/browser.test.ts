import { describe } from 'vitest';
import { chromiumPath, NO_CHROMIUM } from '../../harness/browser.ts';
import { actsOfPeople } from './acts.ts';
import { firstScreens } from './first-screen.ts';
import { followsWhatHappens } from './follows.ts';
import { looksOfEveryScreen } from './looks.ts';
import { placesAndRights } from './places.ts';
import { switchesOfScreens } from './switches.ts';
import { mainTasks } from './tasks.ts';
import { formsOfPeople } from './forms.ts';
import { longTraces } from './traces.ts';
import { makeWorld, type World } from './world.ts';

/** The console in a real browser, over one service for all tests: from the sign-in to a change that the audit log names. */
const executable = chromiumPath();
const world = executable === null ? ({} as World) : await makeWorld(executable);

describe.skipIf(executable === null)(`in a browser${executable === null ? ` (${NO_CHROMIUM})` : ''}`, () => {
  // In this order each list still holds what the seed made, for as long as a test needs it.
  describe('the looks', () => {
    looksOfEveryScreen(world);
  });
  describe('the first screen', () => {
    firstScreens(world);
  });
  describe('places and rights', () => {
    placesAndRights(world);
  });
  describe('switches', () => {
    switchesOfScreens(world);
  });
  describe('the main tasks', () => {
    mainTasks(world);
  });
  describe('what happens', () => {
    followsWhatHappens(world);
  });
  describe('acts', () => {
    actsOfPeople(world);
  });
  describe('forms', () => {
    formsOfPeople(world);
  });
  describe('traces', () => {
    longTraces(world);
  });
});
