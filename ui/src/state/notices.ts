// What the owner was told outside of any turn: kept in order, counted while unread, and put where it belongs in a
// conversation.
import type { NoticeInfo } from "../gateway/orders";
import { upper } from "../words";
import type { Turn } from "./turn";

/** So many are kept on the page; the view fetches older ones by itself. */
const MOST = 200;

/** What this browser has shown: all up to a place in the log, and some after it. */
export interface Read {
  readonly to: number;
  readonly apart: readonly number[];
}

export const NOTHING_READ: Read = { to: 0, apart: [] };

/** With these too, the newest first. Those it has already change nothing. */
export function withNotices(known: readonly NoticeInfo[], more: readonly NoticeInfo[]): readonly NoticeInfo[] {
  const fresh = more.filter((notice) => !known.some((each) => each.seq === notice.seq));
  if (fresh.length === 0) return known;
  return [...fresh, ...known].sort((a, b) => b.seq - a.seq).slice(0, MOST);
}

export function unread(notices: readonly NoticeInfo[], { to, apart }: Read): readonly NoticeInfo[] {
  return notices.filter(({ seq }) => seq > to && !apart.includes(seq));
}

/** After all of them were seen. */
export function readAll(notices: readonly NoticeInfo[], read: Read): Read {
  return unread(notices, read).length === 0 ? read : { to: Math.max(read.to, notices[0]?.seq ?? 0), apart: [] };
}

/** After those of one conversation were seen. */
export function readIn(notices: readonly NoticeInfo[], read: Read, session: string): Read {
  const seen = unread(notices, read).filter((notice) => notice.sessionKey === session);
  if (seen.length === 0) return read;
  const next = { to: read.to, apart: [...read.apart, ...seen.map(({ seq }) => seq)].slice(-MOST) };
  return unread(notices, next).length === 0 ? readAll(notices, read) : next;
}

/** Whose word a notice is: what spoke, its name, and the task it belongs to. `task 3f2a…` has an id for a name. */
export interface Speaker {
  readonly kind: string;
  readonly name?: string;
  readonly task?: string;
}

export function speaker(from: string): Speaker {
  const [, kind = from, name] = /^(reminder|task) (.+)$/s.exec(from) ?? [];
  const said = upper(kind);
  return kind === "task" && name && /^[0-9a-f-]{36}$/.test(name) ? { kind: said, task: name } : { kind: said, name };
}

/** A notice, or a turn, as a conversation has them one after the other. */
export type Passage = { readonly turn: Turn } | { readonly notice: NoticeInfo };

/** A notice stands after what had begun by then. What is older than the turns that are here is left out. */
export function passages(turns: readonly Turn[], notices: readonly NoticeInfo[], more: boolean): Passage[] {
  const began = (turn: Turn) => turn.events[0]?.seq ?? Number.MAX_SAFE_INTEGER;
  const oldest = more && turns[0] ? began(turns[0]) : 0;
  const left = notices.filter((notice) => notice.seq > oldest).sort((a, b) => a.seq - b.seq);
  const all: Passage[] = [];
  for (const turn of turns) {
    while (left[0] && left[0].seq < began(turn)) all.push({ notice: left.shift() as NoticeInfo });
    all.push({ turn });
  }
  return [...all, ...left.map((notice) => ({ notice }))];
}
