import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { RAIL } from '../screens.ts';
import { openPalette } from './command-palette.tsx';
import { useInEnvironment } from './location.ts';

/** Keys move and open. None approves, denies, resolves or halts anything. */

const DIALOG = 'keys';
const AFTER_G_MS = 1_500;
const GO = RAIL.flatMap(({ areas }) => areas).filter(({ key }) => key !== undefined);

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, dialog, [contenteditable]') !== null;
}

function rows(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('table.rows tbody tr td:first-child a')];
}

function moveRow(step: number): void {
  const all = rows();
  const at = all.findIndex((link) => link === document.activeElement);
  all[Math.min(all.length - 1, Math.max(0, at + step))]?.focus();
}

export function Shortcuts() {
  const dialog = useRef<HTMLDialogElement>(null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const inEnvironment = useInEnvironment();
  useEffect(() => {
    let pressedG = 0;
    const press = (event: KeyboardEvent): void => {
      const isPalette = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey);
      if (isPalette || (event.key === '/' && !isTyping(event.target))) {
        event.preventDefault();
        return openPalette();
      }
      if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return;
      if (Date.now() - pressedG < AFTER_G_MS) {
        pressedG = 0;
        const area = GO.find(({ key }) => key === event.key);
        if (area !== undefined) void navigate({ to: inEnvironment(area.path) });
        return;
      }
      if (event.key === 'g') pressedG = Date.now();
      else if (event.key === '?') dialog.current?.showModal();
      else if (event.key === 'j') moveRow(1);
      else if (event.key === 'k') moveRow(-1);
      else if (event.key === 'r') void queries.invalidateQueries();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [queries, navigate, inEnvironment]);
  return (
    <dialog id={DIALOG} ref={dialog} aria-label="Keys">
      <h2>Keys</h2>
      <dl className="keys">
        <Key keys="?" does="This help" />
        <Key keys="/ or ⌘K" does="Search, or open an id" />
        <Key keys="j, k" does="Next row, row before" />
        <Key keys="Enter" does="Open the row" />
        <Key keys="r" does="Read again" />
        {GO.map(({ title, key, path }) => (
          <Key key={path} keys={`g ${key}`} does={title} />
        ))}
        <Key keys="Esc" does="Close" />
      </dl>
      <form method="dialog">
        <button className="primary">Close</button>
      </form>
    </dialog>
  );
}

function Key({ keys, does }: { keys: string; does: string }) {
  return (
    <div>
      <dt>
        <kbd>{keys}</kbd>
      </dt>
      <dd>{does}</dd>
    </div>
  );
}
