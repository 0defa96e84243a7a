import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type SubmitEvent, useId, useRef, useState } from 'react';
import { RAIL, WORKSPACE_AREAS } from '../screens.ts';
import { useEnvironmentId, useInEnvironment } from './location.ts';

/** Opens any area by its name, and any record by its id. */

const DIALOG = 'command-palette';
/** The screen of a record by the first letters of its id. */
const SCREEN_OF_ID: Readonly<Record<string, string>> = {
  eff: '/effects/',
  inv: '/invocations/',
  msg: '/messages/',
  act: '/actions/',
  pol: '/policies/',
  run: '/runs/',
  sch: '/schedules/',
  evt: '/events/',
  top: '/events/topics/',
  sub: '/events/subscriptions/',
  grp: '/url-groups/',
  ses: '/sessions/',
};

export function openPalette(): void {
  const dialog = document.querySelector<HTMLDialogElement>(`#${DIALOG}`);
  if (dialog !== null && !dialog.open) dialog.showModal();
}

interface Target {
  title: string;
  to: string;
  isOfWorkspace: boolean;
}

function useTargets(text: string): Target[] {
  const inEnvironment = useInEnvironment();
  const wanted = text.trim();
  const [, prefix = ''] = /^([a-z]+)_[0-9A-Za-z]+$/.exec(wanted) ?? [];
  const screen = SCREEN_OF_ID[prefix];
  if (screen !== undefined)
    return [{ title: `Open ${wanted}`, to: inEnvironment(screen + wanted), isOfWorkspace: false }];
  const areas = [
    ...RAIL.flatMap(({ areas }) =>
      areas.map(({ title, path }) => ({ title, to: inEnvironment(path), isOfWorkspace: false })),
    ),
    ...WORKSPACE_AREAS.map(({ title, path }) => ({ title, to: path, isOfWorkspace: true })),
  ];
  return areas.filter(({ title }) => title.toLowerCase().includes(wanted.toLowerCase()));
}

export function CommandPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const e = useEnvironmentId();
  const navigate = useNavigate();
  const listId = useId();
  const targets = useTargets(text);
  const go = (target: Target | undefined): void => {
    if (target === undefined) return;
    dialog.current?.close();
    void navigate({ to: target.to, search: target.isOfWorkspace ? { e } : {} });
  };
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || targets.length === 0) return;
    event.preventDefault();
    setActive((now) => (now + step + targets.length) % targets.length);
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    go(targets[active]);
  };
  return (
    <dialog id={DIALOG} ref={dialog} aria-label="Go to" onClose={() => setText('')}>
      <form onSubmit={submit}>
        <input
          role="combobox"
          aria-label="Name of an area, or an id"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={targets.length > 0 ? `${listId}-${active}` : undefined}
          placeholder="Name of an area, or an id"
          value={text}
          autoComplete="off"
          spellCheck={false}
          onKeyDown={move}
          onChange={({ target }) => {
            setText(target.value);
            setActive(0);
          }}
        />
      </form>
      <ul id={listId} role="listbox" aria-label="Places" className="places">
        {targets.map((target, index) => (
          // A mouse chooses here; the keyboard stays in the text above.
          <li
            key={target.to}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            onClick={() => go(target)}
          >
            {target.title}
          </li>
        ))}
      </ul>
      {targets.length === 0 && (
        <p className="quiet">Nothing has this name, and no record that a screen shows has this id.</p>
      )}
    </dialog>
  );
}
