export interface BareInput {
  url: string;
  message: string;
}

/** The activities of the bare workflow: the same call to the same target, with nothing stored. */
export const bareActivities = {
  admit: async (input: BareInput): Promise<BareInput> => input,
  call: async (input: BareInput): Promise<{ status: number }> => {
    const response = await fetch(input.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: input.message }),
    });
    await response.json();
    return { status: response.status };
  },
  settle: async (called: { status: number }): Promise<{ status: string }> => ({
    status: called.status === 200 ? 'succeeded' : 'failed',
  }),
};
export type BareActivities = typeof bareActivities;
