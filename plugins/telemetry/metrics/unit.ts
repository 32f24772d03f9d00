// UCUM units as the words that metric names end with.

const words: Readonly<Record<string, string>> = {
  d: 'days',
  h: 'hours',
  min: 'minutes',
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
  By: 'bytes',
  KiBy: 'kibibytes',
  MiBy: 'mebibytes',
  GiBy: 'gibibytes',
  // Spelled as other servers spell it, so that names stay the same.
  TiBy: 'tibibytes',
  KBy: 'kilobytes',
  MBy: 'megabytes',
  GBy: 'gigabytes',
  TBy: 'terabytes',
  m: 'meters',
  V: 'volts',
  A: 'amperes',
  J: 'joules',
  W: 'watts',
  g: 'grams',
  Cel: 'celsius',
  Hz: 'hertz',
  '%': 'percent',
  '1': ''
}

const perWords: Readonly<Record<string, string>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  mo: 'month',
  y: 'year'
}

/** The word for the part before a slash; an unknown unit is its own word. */
export function unitWord(unit: string): string {
  return Object.hasOwn(words, unit) ? words[unit]! : unit
}

/** The word for the part behind the slash. */
export function perUnitWord(unit: string): string {
  return Object.hasOwn(perWords, unit) ? perWords[unit]! : unit
}
