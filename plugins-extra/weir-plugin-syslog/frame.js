// Messages in a stream of bytes (RFC 6587): counted ones, `5 hello`, and those that end with a line feed or a zero byte.
import { DbError } from 'weir-server'

const zero = 48
const nine = 57
const space = 32
const lineFeed = 10
/** Digits of a count. */
const maxDigits = 10

/**
 * Cuts one stream into messages. Those longer than the limit are skipped.
 * @typedef {object} Frames
 * @property {(chunk: Buffer) => Buffer[]} push The messages that are complete with these bytes, without their frames; they share the memory
 *   of the bytes. Throws DbError `InvalidArguments` for what cannot be the beginning of a frame: the stream cannot be read any further.
 * @property {() => Buffer[]} end What a sender left without an end; a counted message that is cut is none.
 * @property {() => number} drainSkipped How many messages were skipped since it was asked last.
 */

/**
 * Where a message begins and ends, and where the next one begins.
 * @typedef {{ readonly start: number, readonly end: number, readonly next: number }} Frame
 */

/**
 * @param {number} maxMessage bytes of one message
 * @returns {Frames}
 */
export function createFrames(maxMessage) {
  /** @type {Buffer} */
  let rest = Buffer.alloc(0)
  /** Bytes of a message that is too long and still to come; Infinity: up to the end of the line. */
  let skipping = 0
  let skipped = 0

  /**
   * The next message in `rest`; undefined where it is not all there yet.
   * @param {number} at
   * @returns {Frame | undefined}
   */
  const next = at => {
    const first = rest[at]
    return first > zero && first <= nine ? counted(at) : line(at)
  }
  /** @param {number} at @returns {Frame | undefined} */
  const counted = at => {
    let end = at
    while (rest[end] >= zero && rest[end] <= nine) end++
    if (end - at > maxDigits || (end < rest.length && rest[end] !== space))
      throw new DbError('InvalidArguments', 'expected the length of a message and a space, or < of its priority')
    if (end >= rest.length) return undefined
    const length = Number(rest.toString('latin1', at, end))
    if (length > maxMessage) return skip(end + 1, length)
    return end + 1 + length > rest.length
      ? undefined
      : { start: end + 1, end: end + 1 + length, next: end + 1 + length }
  }
  /** @param {number} at @returns {Frame | undefined} */
  const line = at => {
    let end = at
    while (end < rest.length && rest[end] !== lineFeed && rest[end] !== 0) end++
    if (end - at > maxMessage) return skip(at, end < rest.length ? end + 1 - at : Number.POSITIVE_INFINITY)
    return end >= rest.length ? undefined : { start: at, end, next: end + 1 }
  }
  /** @param {number} at @param {number} length @returns {Frame} */
  const skip = (at, length) => {
    skipped++
    skipping = length
    return { start: at, end: at, next: at }
  }
  /**
   * Where what is skipped ends, as far as it is there.
   * @param {number} at
   */
  const passSkipped = at => {
    if (skipping !== Number.POSITIVE_INFINITY) {
      const passed = Math.min(skipping, rest.length - at)
      skipping -= passed
      return at + passed
    }
    for (let i = at; i < rest.length; i++) {
      if (rest[i] !== lineFeed && rest[i] !== 0) continue
      skipping = 0
      return i + 1
    }
    return rest.length
  }

  return {
    push(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const messages = []
      let at = 0
      while (at < rest.length) {
        if (skipping > 0) {
          at = passSkipped(at)
          continue
        }
        const found = next(at)
        if (found === undefined) break
        if (found.end > found.start) messages.push(rest.subarray(found.start, found.end))
        at = found.next
      }
      rest = rest.subarray(at)
      return messages
    },
    end() {
      const isCut = rest.length === 0 || skipping > 0 || (rest[0] > zero && rest[0] <= nine)
      const message = rest
      rest = Buffer.alloc(0)
      return isCut ? [] : [message]
    },
    drainSkipped() {
      const count = skipped
      skipped = 0
      return count
    }
  }
}
