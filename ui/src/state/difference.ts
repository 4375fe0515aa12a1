// Two texts side by side, line by line: what only one of them has.

export interface Row {
  readonly mine?: string;
  readonly theirs?: string;
}

/** Above so many pairs of lines the middle is shown as wholly different: comparing would take too long. */
const MAX_PAIRS = 4_000_000;

/** Rows of lines both have, only mine has, or only theirs has. */
export function difference(mine: string, theirs: string): Row[] {
  const a = mine.split("\n");
  const b = theirs.split("\n");
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const same = (lines: string[]) => lines.map((line): Row => ({ mine: line, theirs: line }));
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))];
}

function between(a: string[], b: string[]): Row[] {
  const apart = [...a.map((mine): Row => ({ mine })), ...b.map((theirs): Row => ({ theirs }))];
  if (a.length === 0 || b.length === 0 || a.length * b.length > MAX_PAIRS) return apart;
  const width = b.length + 1;
  // How many lines the rests from here on have in common at most.
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const rows: Row[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) rows.push({ mine: a[i++], theirs: b[j++] });
    else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) rows.push({ mine: a[i++] });
    else rows.push({ theirs: b[j++] });
  }
  return rows;
}

/** Only the rows near a difference; `undefined` stands for what was left out. */
export function nearby(rows: readonly Row[], around = 2): (Row | undefined)[] {
  const differs = (row?: Row) => row !== undefined && row.mine !== row.theirs;
  const near = rows.map((_, index) => rows.slice(Math.max(0, index - around), index + around + 1).some(differs));
  return rows.flatMap((row, index) => {
    if (near[index]) return [row];
    return index === 0 || near[index - 1] ? [undefined] : [];
  });
}
