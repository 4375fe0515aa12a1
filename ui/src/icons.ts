// A small set of icons, drawn for this page on a grid of 24.
import { svg, type SVGTemplateResult } from "lit";

const draw = (path: SVGTemplateResult) => svg`<svg viewBox="0 0 24 24" aria-hidden="true">${path}</svg>`;
const line = (d: string) => draw(svg`<path d=${d}></path>`);

export const icons = {
  add: line("M12 5v14M5 12h14"),
  search: line("M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 20 20"),
  side: line("M4 5h16v14H4zM9.5 5v14"),
  menu: line("M4 7h16M4 12h16M4 17h16"),
  close: line("M6 6l12 12M18 6 6 18"),
  send: line("M12 19V5M6 11l6-6 6 6"),
  stop: draw(svg`<rect x="7" y="7" width="10" height="10" rx="1.5" fill="currentColor"></rect>`),
  down: line("M12 5v14M6 13l6 6 6-6"),
  right: line("M9 6l6 6-6 6"),
  check: line("M5 12.5 10 17 19 7"),
  cross: line("M7 7l10 10M17 7 7 17"),
  wait: line("M7 4h10M7 20h10M8 4c0 5 8 5 8 8s-8 3-8 8M16 4c0 5-8 5-8 8s8 3 8 8"),
  chat: line("M5 5h14v10h-8l-4 4v-4H5z"),
  tasks: line("M5 6l1.5 1.5L9 5M5 12l1.5 1.5L9 11M5 18l1.5 1.5L9 17M12 6.500h7M12 12.500h7M12 18.500h7"),
  memory: line("M6 4h10l3 3v13H6zM9 10h7M9 14h7"),
  tools: line(
    "M14 6a4 4 0 0 1 5-1l-2.500 2.500 1 1L20 6a4 4 0 0 1-5.500 4.500L8 17a2 2 0 1 1-2.500-2.500L12 8a4 4 0 0 1 2-2z",
  ),
  audit: line("M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4"),
  usage: line("M5 20V11M12 20V5M19 20v-6M3 20h18"),
  settings: line("M5 7h8M17 7h2M5 17h2M11 17h8M15 5v4M9 15v4"),
  copy: line("M9 9h10v10H9zM15 9V5H5v10h4"),
  edit: line("M5 19l1-4L16 5l3 3L9 18zM14 7l3 3"),
  archive: line("M4 5h16v4H4zM6 9v10h12V9M10 13h4"),
  help: line("M8 8.500a4 4 0 1 1 6 3.500c-1.300.800-2 1.600-2 3.200M12 19v.01"),
  key: line("M14 10a4 4 0 1 0-3.500 4L12 15.500h2V18h2.500v2H20v-3l-6-6z"),
  clock: line("M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 8v4l3 2"),
  bell: line("M6.500 16h11l-1.500-2.500V10a4 4 0 0 0-8 0v3.500zM12 4.500V6M10.500 19h3"),
  play: line("M8 5.500v13l10.500-6.500z"),
  hook: line("M15 4v9a4 4 0 1 1-8 0v-2M7 11l-2 2M7 11l2 2M15 4h-2M15 4h2"),
  repeat: line("M5 11V9.500A2.500 2.500 0 0 1 7.500 7H18M15 4l3 3-3 3M19 13v1.500a2.500 2.500 0 0 1-2.500 2.500H6M9 20l-3-3 3-3"),
  warn: line("M12 4l9 16H3zM12 10v4M12 17v.01"),
  more: draw(svg`<g stroke-width="2.6"><path d="M6 12v.01M12 12v.01M18 12v.01"></path></g>`),
  leave: line("M10 5H5v14h5M14 8l4 4-4 4M18 12H9"),
} as const;

export type IconName = keyof typeof icons;
