// The colours of code.
import { css } from "lit";

export const syntax = css`
  .word {
    color: var(--syntax-word);
  }
  .string,
  .added {
    color: var(--syntax-string);
  }
  .number {
    color: var(--syntax-number);
  }
  .comment {
    color: var(--syntax-comment);
  }
  .name {
    color: var(--syntax-name);
  }
  .removed {
    color: var(--bad);
  }
`;
