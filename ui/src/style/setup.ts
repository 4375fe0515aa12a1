// How the set-up view looks.
import { css } from "lit";

export const setup = css`
  .page {
    max-width: 640px;
  }
  section {
    margin-bottom: 24px;
    padding: 16px;
    border: 1px solid var(--line);
    border-radius: 12px;
  }
  section > h2 {
    margin-bottom: 8px;
  }
  p {
    margin: 0 0 4px;
  }
  h3 span {
    font-weight: 400;
  }
  .group + .group {
    margin-top: 12px;
  }
  .model {
    display: flex;
    justify-content: space-between;
    align-items: center;
    gap: 8px;
    min-height: 32px;
  }
  .model code {
    overflow-wrap: anywhere;
  }
  .model span {
    display: inline-flex;
    gap: 4px;
    align-items: center;
  }
  form {
    display: grid;
    grid-template-columns: 160px 1fr auto;
    gap: 12px;
    align-items: end;
    margin-bottom: 8px;
  }
  label {
    font-size: 14px;
  }
  form > button {
    min-height: 36px;
  }
  .why {
    display: flex;
    gap: 8px;
    padding: 10px 12px;
    margin-bottom: 16px;
    border-radius: var(--radius);
    background: var(--bad-ground);
    color: var(--bad);
  }
  .why svg {
    margin-top: 3px;
  }
  @media (max-width: 760px) {
    form {
      grid-template-columns: 1fr;
    }
  }
`;
