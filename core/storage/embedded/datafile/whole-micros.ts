// Whether times in nanoseconds are whole microseconds, as those of most senders are. Then they differ as floats where they differ at all: floats of
// today's times lie 256 nanoseconds apart.

/** What a file tells of itself: the name of its column of times in nanoseconds, all of them whole microseconds. */
export const wholeMicros = 'weir.whole_micros'

const perMicro = 1000
/** What is left of 2^32 nanoseconds. */
const wordRest = 2 ** 32 % perMicro

/** `words`: 64-bit numbers, the low word of each first. */
export function areWholeMicros(words: Int32Array): boolean {
  for (let at = 0; at < words.length; at += 2) {
    const high = words[at + 1]! % perMicro
    if ((high * wordRest + ((words[at]! >>> 0) % perMicro)) % perMicro !== 0) return false
  }
  return true
}
