// Where the page is: the part of the address after `#`. `#/chat/<session>` is the view `chat` with one argument.

export interface Place {
  readonly view: string;
  readonly argument?: string;
}

export function place(hash: string = location.hash): Place {
  const [view, ...rest] = hash.replace(/^#\/?/, "").split("/");
  const argument = rest.length > 0 ? decodeURIComponent(rest.join("/")) : undefined;
  return { view: view || "chat", argument };
}

export function address(view: string, argument?: string): string {
  return argument === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(argument)}`;
}

export function go(view: string, argument?: string): void {
  location.hash = address(view, argument);
}
