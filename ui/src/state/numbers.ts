// How tokens and money are said.

/** Few digits: 950, 1.2k, 34k, 5.6M. */
export function short(tokens: number): string {
  const scaled = (value: number, unit: string) => `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)}${unit}`;
  if (tokens < 1000) return String(Math.round(tokens));
  if (tokens < 999_500) return scaled(tokens / 1000, "k");
  if (tokens < 999_500_000) return scaled(tokens / 1_000_000, "M");
  return scaled(tokens / 1_000_000_000, "G");
}

/** As exact as it matters: cents, and below a cent what is left of it. */
export function money(value: number, currency: string): string {
  const tiny = value > 0 && value < 0.01;
  const digits = tiny ? { minimumFractionDigits: 2, maximumFractionDigits: 4 } : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  if (tiny && value < 0.0001) return `less than ${money(0.0001, currency)}`;
  return new Intl.NumberFormat("en", { style: "currency", currency, ...digits }).format(value);
}

/** A day without its time, as people say it. The text has no zone: it is a day of Steward's clock. */
export function dayName(day: string, long = false): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const format: Intl.DateTimeFormatOptions = long
    ? { weekday: "long", day: "numeric", month: "long", year: "numeric" }
    : { day: "numeric", month: "short" };
  return new Date(year, month - 1, date).toLocaleDateString(undefined, format);
}
