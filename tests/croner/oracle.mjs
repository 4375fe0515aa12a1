// Asks croner when cron expressions come up next, for many expressions, zones and moments made from a seed, and prints
// one JSON line for each: [expression, zone, start in seconds, [seconds from the start to each of the next three runs]].
// Fewer than three runs means that there are no more. Usage: node oracle.mjs [SEED] [CASES] > table.jsonl
import { Cron } from "croner";

const seed = Number(process.argv[2] ?? 20261115);
const cases = Number(process.argv[3] ?? 2800);
const RUNS = 3;

/** Moments at which the wall clock of a zone jumps, as UTC. */
const EDGES = {
  "UTC": ["2024-02-29T00:00:00Z", "2027-12-31T23:59:59Z"],
  "Europe/Berlin": ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", "2027-03-28T01:00:00Z", "2027-10-31T01:00:00Z"],
  "America/New_York": ["2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z", "2027-03-14T07:00:00Z", "2027-11-07T06:00:00Z"],
  "Australia/Lord_Howe": ["2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z", "2027-04-03T15:00:00Z", "2027-10-02T15:30:00Z"],
  "America/Sao_Paulo": ["2017-10-15T03:00:00Z", "2018-02-18T02:00:00Z", "2018-11-04T03:00:00Z", "2019-02-17T02:00:00Z"],
  "Africa/Cairo": ["2024-04-25T22:00:00Z", "2024-10-31T21:00:00Z"],
  "Asia/Kathmandu": ["1985-12-31T18:30:00Z", "2026-06-01T00:00:00Z"],
  "Pacific/Apia": ["2011-12-30T10:00:00Z", "2011-09-24T11:00:00Z", "2012-03-31T14:00:00Z"],
};

const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

/** A small generator of numbers that is the same everywhere (mulberry32). */
function generator(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const random = generator(seed);
const below = (limit) => Math.floor(random() * limit);
const between = (low, high) => low + below(high - low + 1);
const pick = (list) => list[below(list.length)];
const chance = (share) => random() < share;

/** A field of plain numbers: star, number, list, range, step. */
function field(low, high, star) {
  if (chance(star)) return "*";
  const from = between(low, high);
  const to = between(from, high);
  switch (below(6)) {
    case 0: return `*/${between(2, Math.max(2, Math.floor((high - low) / 2)))}`;
    case 1: return `${from}-${to}`;
    case 2: return `${from}-${to}/${between(1, Math.max(1, to - from))}`;
    case 3: return [from, between(low, high), between(low, high)].join(",");
    default: return String(from);
  }
}

function hours() {
  // The hours around which clocks jump are asked about more often than the rest of the day.
  return chance(0.5) ? pick(["0", "1", "2", "3", "1-3", "2,3", "*", "*/2", "23", "0-1", "1,2"]) : field(0, 23, 0.2);
}

function dayOfMonth() {
  const day = between(1, 31);
  switch (below(12)) {
    case 0: return "L";
    case 1: return `${between(1, 31)}W`;
    case 2: return "?";
    case 3: return `${day},L`;
    case 4: return field(1, 31, 0);
    case 5: return String(day);
    default: return "*";
  }
}

function month() {
  switch (below(8)) {
    case 0: return pick(MONTHS);
    case 1: return `${MONTHS[below(6)]}-${MONTHS[6 + below(6)]}`;
    case 2: return field(1, 12, 0);
    default: return "*";
  }
}

function dayOfWeek() {
  const day = below(7);
  switch (below(12)) {
    case 0: return `${day}#${between(1, 5)}`;
    case 1: return `${WEEKDAYS[day]}#${between(1, 5)}`;
    case 2: return `${day}L`;
    case 3: return `${WEEKDAYS[day]}L`;
    case 4: return pick(["MON-FRI", "1-5", "SAT,SUN", "6,7", "7", "5-7", "TUE-SUN", "?"]);
    case 5: return `${day},${WEEKDAYS[below(7)]}`;
    case 6: return field(0, 7, 0);
    default: return "*";
  }
}

function year(start) {
  const now = new Date(start * 1000).getUTCFullYear();
  return pick(["*", String(now), String(now + 1), `${now}-${now + 3}`, `${now - 4}-${now + 8}/2`, `${now},${now + 5}`]);
}

function expression(start) {
  const five = [field(0, 59, 0.25), hours(), dayOfMonth(), month(), dayOfWeek()];
  const kind = below(4);
  if (kind < 2) return five.join(" ");
  const six = [field(0, 59, 0.15), ...five];
  return (kind === 2 ? six : [...six, year(start)]).join(" ");
}

function moment(zone) {
  if (chance(0.7)) {
    const edge = Date.parse(pick(EDGES[zone])) / 1000;
    return edge + (chance(0.5) ? between(-7200, 7200) : between(-129600, 129600));
  }
  return between(Date.UTC(2005, 0, 1) / 1000, Date.UTC(2040, 0, 1) / 1000);
}

for (let number = 0; number < cases; number += 1) {
  const zone = pick(Object.keys(EDGES));
  const start = moment(zone);
  const expr = expression(start);
  let runs;
  try {
    const job = new Cron(expr, { timezone: zone, paused: true });
    runs = job.nextRuns(RUNS, new Date(start * 1000)).map((run) => run.getTime() / 1000 - start);
  } catch (error) {
    runs = String(error.message ?? error);
  }
  console.log(JSON.stringify([expr, zone, start, runs]));
}
