// Whether times in nanoseconds are whole microseconds, as those of most senders are. Then they differ as floats where they differ at all: floats of
// today's times lie 256 nanoseconds apart, those before 2116 at most 512. From there on it is 1,024, and no time counts as whole.

/** What a file tells of itself: the name of its column of times in nanoseconds, all of them whole microseconds. */
export const wholeMicros = 'weir.whole_micros'

const perMicro = 1000
/** What is left of 2^32 nanoseconds. */
const wordRest = 2 ** 32 % perMicro
/** The high word of a time from which on, before and after 1970, floats lie more than a microsecond apart. */
const maxHigh = 2 ** 30

/** `words`: 64-bit numbers, the low word of each first. */
export function areWholeMicros(words: Int32Array): boolean {
  for (let at = 0; at < words.length; at += 2) {
    const [low, high] = [words[at]! >>> 0, words[at + 1]!]
    if (high >= maxHigh || high < -maxHigh) return false
    if (((high % perMicro) * wordRest + (low % perMicro)) % perMicro !== 0) return false
  }
  return true
}
