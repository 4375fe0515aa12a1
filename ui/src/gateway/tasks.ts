// Tasks, over HTTP: the list, an order, the end of one, and its events as they come.

export type TaskStatus = "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled";

export interface Task {
  id: string;
  status: TaskStatus;
  prompt: string;
  sessionKey: string;
  runId: string;
  createdAt: string;
  endedAt: string | null;
}

export type TaskEvent =
  | { type: "status"; message: string }
  | { type: "agent_message"; text: string }
  | { type: "approval_request"; id: string; toolPath: string; preview: { title: string; details: string; reason: string } }
  | { type: "approval_resolved"; id: string; decision: "approved" | "denied" }
  | { type: "tool_result"; id: string; toolPath: string; status: "succeeded" | "denied" | "failed"; preview: string }
  | { type: "completed" }
  | { type: "error"; error: string };

export async function listTasks(): Promise<Task[]> {
  return (await asked<{ tasks: Task[] }>("/api/tasks", {})).tasks;
}

/** Gives an order. Sent twice under the same name, it is one task. */
export function orderTask(prompt: string, clientTaskId: string): Promise<Task> {
  const body = JSON.stringify({ prompt, clientTaskId });
  return asked("/api/tasks", { method: "POST", headers: { "content-type": "application/json" }, body });
}

export function cancelTask(id: string): Promise<Task> {
  return asked(`/api/tasks/${encodeURIComponent(id)}/cancel`, { method: "POST" });
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

async function asked<T>(path: string, request: RequestInit): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path, request);
  } catch {
    throw new Error("Steward could not be reached. Look whether it runs, then try again.");
  }
  const body = (await answer.json().catch(() => ({}))) as { error?: { message?: string } };
  if (!answer.ok) throw new Error(body.error?.message ?? `Steward answered with status ${answer.status}. Try again.`);
  return body as T;
}
