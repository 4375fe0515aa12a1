// What the palette offers for the words in its field: conversations, commands, memory.
import type { Entry } from "./elements/palette";
import type { House } from "./house";
import { go } from "./router";
import { placeOfHit } from "./state/editing";
import { setTheme, theme } from "./theme";
import { views } from "./views/views";
import { relative } from "./words";

const MOST_SESSIONS = 8;
const MOST_MEMORIES = 5;

export interface Doings {
  help(): void;
}

export function commands(house: House, doings: Doings): Entry[] {
  const entry = (label: string, icon: Entry["icon"], run: () => void, hint?: string): Entry => ({
    group: "Commands",
    label,
    icon,
    run,
    hint,
  });
  const places = views.filter((view) => view.name !== "chat");
  const themes = (["system", "light", "dark"] as const).filter((each) => each !== theme());
  return [
    entry("New conversation", "add", () => go("chat"), "N"),
    ...places.map((view) => entry(view.title, view.icon, () => go(view.name))),
    ...themes.map((each) =>
      entry(`Colours: ${each === "system" ? "as the system" : each}`, "settings", () => setTheme(each)),
    ),
    entry("Keys", "help", doings.help, "?"),
    entry("Sign out", "leave", () => void house.signOut()),
  ];
}

/** Everything that fits, from what the page has already. */
export function matches(house: House, text: string, doings: Doings): Entry[] {
  const wanted = text.trim().toLowerCase();
  const fits = (label: string) => label.toLowerCase().includes(wanted);
  const { sessions } = house.store.state;
  const known = sessions.is === "here" ? sessions.value : [];
  const found = known.filter((session) => fits(session.title)).slice(0, MOST_SESSIONS);
  const conversations = found.map(
    (session): Entry => ({
      group: "Conversations",
      label: session.title || "Untitled",
      hint: relative(session.updatedAt),
      icon: "chat",
      run: () => go("chat", session.sessionKey),
    }),
  );
  return [...conversations, ...commands(house, doings).filter((command) => fits(command.label))];
}

/** What memory has on it; nothing when it cannot be asked. */
export async function remembered(house: House, text: string): Promise<Entry[]> {
  if (text.trim().length < 2) return [];
  try {
    const { results } = await house.call("memory.search", { query: text, limit: MOST_MEMORIES });
    return results.slice(0, MOST_MEMORIES).map((hit) => ({
      group: "Memory",
      label: hit.excerpt.replace(/\s+/g, " ").trim(),
      hint: `${hit.path}:${hit.lineStart}`,
      icon: "memory",
      run: () => {
        const { view, argument } = placeOfHit(hit) ?? { view: "memory" };
        go(view, argument);
      },
    }));
  } catch {
    return [];
  }
}
