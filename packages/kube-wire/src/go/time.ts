// SPDX-License-Identifier: Apache-2.0
/** RFC 3339 times as Go's time.Parse reads them, with its errors, normalised to UTC. Ref: Go 1.26 time/format.go.
 * What only an offset takes out of the years 0 to 9999 is refused too: it could not be read back. */
const RFC3339 = '2006-01-02T15:04:05Z07:00';
const RFC3339_MICRO = '2006-01-02T15:04:05.000000Z07:00';

export type TimeFormat = 'date-time' | 'micro-time';

/** A text that is no time. The message is Go's. */
export class TimeParseError extends Error {
  override readonly name = 'TimeParseError';
}

/** A moment: whole seconds since 1970 and the nanoseconds on top. */
export type Instant = {readonly seconds: number; readonly nanos: number};

const EXACT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z$/;
/** Seconds of 0001-01-01T00:00:00Z, Go's zero time, which is written as null. */
const ZERO_TIME_SECONDS = -62_135_596_800;

/** Of `2006-01-02T15:04:05Z`. */
const CANONICAL_TIME_LENGTH = 20;

/** Whether the text already is what metav1.Time writes: UTC, whole seconds, a real date. */
export function isCanonicalTime(text: string): boolean {
  if (text.length !== CANONICAL_TIME_LENGTH) return false;
  const m = EXACT.exec(text);
  if (m === null || text === '0001-01-01T00:00:00Z') return false;
  const [, year, month, day, hour, minute, second] = m;
  return (
    Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60 && isDate(Number(year), Number(month), Number(day))
  );
}

const FRACTION_AT = CANONICAL_TIME_LENGTH - 1;
const MICROS = /^\.\d{6}Z$/;

/** The same for metav1.MicroTime: six digits of a second. */
export function isCanonicalMicroTime(text: string): boolean {
  return MICROS.test(text.slice(FRACTION_AT)) && isCanonicalTime(`${text.slice(0, FRACTION_AT)}Z`);
}

function isDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(month, year);
}

function daysIn(month: number, year: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Reads a time. Throws TimeParseError. */
export function parseGoTime(text: string, format: TimeFormat): Instant {
  return new TimeReader(text, format === 'micro-time' ? RFC3339_MICRO : RFC3339).read(format === 'micro-time');
}

/** `undefined` for Go's zero time, also where only a fraction that is not written tells it from that. */
export function formatTime(at: Instant, format: TimeFormat): string | undefined {
  if (at.seconds === ZERO_TIME_SECONDS && (format === 'date-time' || at.nanos < 1000)) return undefined;
  const date = new Date(at.seconds * 1000);
  const year = date.getUTCFullYear();
  const head = `${String(year).padStart(4, '0')}${date.toISOString().slice(date.toISOString().indexOf('-', 1), -5)}`;
  if (format === 'date-time') return `${head}Z`;
  return `${head}.${String(Math.floor(at.nanos / 1000)).padStart(6, '0')}Z`;
}

/** A time as the server writes it; `undefined` as of `formatTime`. Throws TimeParseError. */
export function normalizeTime(text: string, format: TimeFormat): string | undefined {
  return formatTime(parseGoTime(text, format), format);
}

class TimeReader {
  readonly #text: string;
  readonly #layout: string;
  #rest: string;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
    this.#rest = text;
  }

  read(micro: boolean): Instant {
    const year = this.#year();
    this.#literal('-');
    const month = this.#number('01', 2, n => n >= 1 && n <= 12, 'month');
    this.#literal('-');
    const day = this.#number('02', 2, () => true, 'day');
    this.#literal('T');
    const hour = this.#number('15', 1, n => n < 24, 'hour');
    this.#literal(':');
    const minute = this.#number('04', 2, n => n < 60, 'minute');
    this.#literal(':');
    const second = this.#number('05', 2, n => n < 60, 'second');
    const nanos = micro ? this.#exactMicros() : this.#fraction();
    const offset = this.#zone();
    if (this.#rest !== '') throw this.#message(`: extra text: ${quoteTime(this.#rest)}`);
    if (day < 1 || day > daysIn(month, year)) throw this.#message(': day out of range');
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    date.setUTCHours(hour, minute, second);
    const seconds = date.getTime() / 1000 - offset;
    const utcYear = new Date(seconds * 1000).getUTCFullYear();
    if (utcYear < 0 || utcYear > 9999) throw this.#message(': year outside of [0,9999] in UTC');
    return {seconds, nanos};
  }

  #year(): number {
    if (!/^\d{4}/.test(this.#rest)) throw this.#bad('2006', this.#rest);
    return Number(this.#take(4));
  }

  #literal(prefix: string): void {
    if (!this.#rest.startsWith(prefix)) throw this.#bad(prefix, this.#rest);
    this.#take(1);
  }

  #number(element: string, digits: 1 | 2, ok: (n: number) => boolean, what: string): number {
    const m = (digits === 2 ? /^\d\d/ : /^\d\d?/).exec(this.#rest);
    if (m === null) throw this.#bad(element, this.#rest);
    const n = Number(this.#take(m[0].length));
    if (!ok(n)) throw this.#message(`: ${what} out of range`);
    return n;
  }

  /** A fraction is taken even though the layout has none. */
  #fraction(): number {
    const m = /^[.,](\d+)/.exec(this.#rest);
    if (m === null) return 0;
    this.#take(m[0].length);
    return Number((m[1] as string).slice(0, 9).padEnd(9, '0'));
  }

  #exactMicros(): number {
    const m = /^[.,](\d{6})/.exec(this.#rest);
    if (m === null) throw this.#bad('.000000', this.#rest);
    this.#take(7);
    return Number(m[1]) * 1000;
  }

  /** Seconds east of UTC. */
  #zone(): number {
    if (this.#rest.startsWith('Z')) {
      this.#take(1);
      return 0;
    }
    const hold = this.#rest;
    const m = /^(.)(..):(..)/s.exec(hold);
    if (m === null) throw this.#bad('Z07:00', hold);
    this.#take(6);
    const hours = /^\d\d$/.test(m[2] as string) ? Number(m[2]) : undefined;
    const minutes = hours !== undefined && /^\d\d$/.test(m[3] as string) ? Number(m[3]) : undefined;
    if (hours !== undefined && hours > 24) throw this.#message(': time zone offset hour out of range');
    if (minutes !== undefined && minutes > 60) throw this.#message(': time zone offset minute out of range');
    if (hours === undefined || minutes === undefined || (m[1] !== '+' && m[1] !== '-')) throw this.#bad('Z07:00', hold);
    const seconds = (hours * 60 + minutes) * 60;
    return m[1] === '-' ? -seconds : seconds;
  }

  #take(length: number): string {
    const taken = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    return taken;
  }

  #bad(element: string, value: string): TimeParseError {
    const [text, layout] = [quoteTime(this.#text), quoteTime(this.#layout)];
    return new TimeParseError(
      `parsing time ${text} as ${layout}: cannot parse ${quoteTime(value)} as ${quoteTime(element)}`,
    );
  }

  #message(message: string): TimeParseError {
    return new TimeParseError(`parsing time ${quoteTime(this.#text)}${message}`);
  }
}

/** Times quote their text in a way of their own: bytes outside of printable ASCII as `\xNN`. */
function quoteTime(text: string): string {
  let out = '"';
  for (const char of text) {
    if (char < ' ' || char >= '\x80') {
      for (const byte of Buffer.from(char)) out += `\\x${byte.toString(16).padStart(2, '0')}`;
    } else out += char === '"' || char === '\\' ? `\\${char}` : char;
  }
  return `${out}"`;
}
