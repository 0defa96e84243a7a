import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { FormDialog } from './dialog.tsx';
import { useInEnvironment } from './location.ts';
import { useTypedName } from './protection.ts';

export interface DeletionProps {
  title: string;
  /** What is lost with it. */
  children?: ReactNode;
  /** The list that is shown once it is gone; by default the screen stays. */
  back?: string;
  remove: (idempotencyKey: string) => Promise<unknown>;
}

/** Deletes for good. The name of a protected environment has to be typed. */
export function Deletion({ title, children, back, remove }: DeletionProps) {
  const inEnvironment = useInEnvironment();
  const navigate = useNavigate();
  const typed = useTypedName();
  return (
    <FormDialog
      open="Delete"
      title={title}
      submit="Delete for good"
      tone="danger"
      typed={typed}
      change={async (_, idempotencyKey) => {
        await remove(idempotencyKey);
        if (back !== undefined) await navigate({ to: inEnvironment(back) });
      }}
    >
      {children}
    </FormDialog>
  );
}
