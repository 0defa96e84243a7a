import type { Message, WorkerTask } from './side.ts';
import { sendSigned } from './signed-call.ts';

/** The one activity of the bare workflow: the same call, with nothing stored beside its history. */
export const bareActivities = (task: WorkerTask) => ({
  deliver: async (messageId: string, message: Message): Promise<number> => {
    const { status } = await sendSigned(task, messageId, message);
    return status;
  },
});
export type BareActivities = ReturnType<typeof bareActivities>;
