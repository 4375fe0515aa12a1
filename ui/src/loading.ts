// Something asked for, as a list shows it: it is here, or it failed and why.
import { words } from "./house";
import type { Loadable } from "./state/state";

export async function loaded<T>(asked: Promise<T>): Promise<Loadable<T>> {
  try {
    return { is: "here", value: await asked };
  } catch (error) {
    return { is: "failed", why: words(error) };
  }
}
