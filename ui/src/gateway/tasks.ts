// A task's events as they come, over HTTP: from its first to its last, through lost connections.

export type TaskEvent =
  | { type: "status"; message: string; outcome?: string; error?: string }
  | { type: "agent_message"; text: string }
  | { type: "code_generated"; id: string; code: string }
  | {
      type: "approval_request";
      id: string;
      toolPath: string;
      preview: { title: string; details: string; reason: string };
      /** The call that handed in the program that asks. */
      program?: string;
    }
  | { type: "approval_resolved"; id: string; decision: "approved" | "denied" }
  | ({ type: "tool_result"; toolPath: string; preview: string; parent?: string } & Receipt & ProgramResult)
  | { type: "completed"; reason?: string | null }
  | { type: "error"; error: string; reason?: string | null };

export interface Receipt {
  id: string;
  status: "succeeded" | "denied" | "failed";
}

/** What a program's own result says besides: what became of its calls, and how it ended, if it ever began. */
export interface ProgramResult {
  receipts?: Receipt[];
  result?: unknown;
  error?: { name: string; message: string; line?: number | null };
}

export interface TaskListener {
  event(id: string, event: TaskEvent): void;
  /** Whether events come. While they do not, the stream is being opened again. */
  reached(reached: boolean): void;
}

const AGAIN_MS = 3000;

/** Follows a task from its first event to its last, through lost connections; gives what stops it. */
export function followTask(id: string, listener: TaskListener): () => void {
  const path = `/api/tasks/${encodeURIComponent(id)}/events`;
  let last = "";
  let source: EventSource | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  const address = () => (last ? `${path}?lastEventId=${encodeURIComponent(last)}` : path);
  const open = () => {
    const opened = new EventSource(address());
    source = opened;
    opened.onopen = () => listener.reached(true);
    opened.onmessage = (message) => {
      last = message.lastEventId;
      const event = JSON.parse(message.data as string) as TaskEvent;
      if (event.type === "completed" || event.type === "error") opened.close();
      listener.event(last, event);
    };
    opened.onerror = () => {
      // The browser comes back by itself, with the last id, unless it was answered with anything but a stream.
      if (opened.readyState !== EventSource.CLOSED) return listener.reached(false);
      void nothingLeft(address()).then((over) => {
        if (stopped) return;
        listener.reached(over);
        if (!over) again = setTimeout(open, AGAIN_MS);
      });
    };
  };
  open();
  return () => {
    stopped = true;
    clearTimeout(again);
    source?.close();
  };
}

/** Whether the task is over and all of it was told: an `EventSource` does not say why it was closed. */
async function nothingLeft(address: string): Promise<boolean> {
  const enough = new AbortController();
  try {
    const answer = await fetch(address, { signal: enough.signal });
    return answer.status === 204;
  } catch {
    return false;
  } finally {
    enough.abort();
  }
}
