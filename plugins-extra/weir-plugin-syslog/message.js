// One syslog message: bytes in, its parts out. Nothing is refused: what has no known form is a message without a header.
import { parseTimestamp } from 'weir-server'

/** @typedef {NonNullable<ReturnType<typeof import('weir-server').parseZone>>} Zone */

/**
 * A parameter of structured data.
 * @typedef {{ readonly id: string, readonly name: string, readonly value: string }} Parameter
 */

/**
 * What a message says; undefined where it does not.
 * @typedef {object} Message
 * @property {string} facility by name: `daemon`
 * @property {string} severity by name: `err`
 * @property {bigint} time nanoseconds since 1970
 * @property {string} [host]
 * @property {string} [app]
 * @property {string} [process]
 * @property {string} [id] the kind of message
 * @property {string} [from] address it came from
 * @property {readonly Parameter[]} data
 * @property {string} message the text, without the header and without a byte order mark
 */

/** What is known before the header is read: `message` is not. @typedef {Omit<Message, 'message'>} Base */

const severities = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug']
const facilities = [
  ...['kern', 'user', 'mail', 'daemon', 'auth', 'syslog', 'lpr', 'news', 'uucp', 'cron', 'authpriv', 'ftp', 'ntp'],
  ...['audit', 'alert', 'clock', 'local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7']
]
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const priority = /^<(\d{1,3})>/
/** VERSION TIMESTAMP HOSTNAME APP-NAME PROCID MSGID, RFC 5424 section 6. */
const header = /^1 (\S+) (\S+) (\S+) (\S+) (\S+) /
/** `Nov  3 07:08:09` or a time as RFC 3339 writes it, which many senders put there. */
const oldTime = /^(?:([A-Z][a-z]{2}) ([ \d]\d) (\d{2}:\d{2}:\d{2})|(\d{4}-\d{2}-\d{2}T\S+)) /
/** HOSTNAME and TAG[PID]: of RFC 3164 section 4.1.3, with the characters programs really have in their names. */
const oldSender = /^(?:(\S+) )?([\w./@-]{1,64})(?:\[([^\]\s]{1,128})\])?: ?/
/** HOSTNAME and TAG[PID] without the colon: so rsyslog forwards in the old form what it got in the new one. */
const forwardedSender = /^(\S+) ([\w./@-]{1,64})\[([^\]\s]{1,128})\] /

/**
 * Never throws: what has no known form is a message without a header.
 * @param {Buffer} bytes UTF-8; ends of lines and zero bytes at its end are no part of it
 * @param {bigint} now nanoseconds since 1970, for messages without a time
 * @param {Zone} zone of times without an offset
 * @returns {Message}
 */
export function parseMessage(bytes, now, zone) {
  const text = trimEnd(bytes.toString())
  const found = priority.exec(text)
  const code = Number(found?.[1] ?? 13)
  // Without a priority, or with one that is none: user.notice, RFC 3164 section 4.3.3.
  const isKnown = found !== null && code < facilities.length * 8
  /** @type {Base} */
  const base = {
    facility: facilities[isKnown ? code >> 3 : 1],
    severity: severities[isKnown ? code & 7 : 5],
    time: now,
    data: []
  }
  if (!isKnown) return { ...base, message: text }
  const rest = text.slice(found[0].length)
  return parseNew(rest, base, zone) ?? parseOld(rest, base, now, zone)
}

/**
 * RFC 5424; undefined for a text that has another form.
 * @param {string} text behind the priority
 * @param {Base} base
 * @param {Zone} zone
 * @returns {Message | undefined}
 */
function parseNew(text, base, zone) {
  const found = header.exec(text)
  if (found === null) return undefined
  const [head, stamp, host, app, process, id] = found
  const structured = readStructured(text, head.length)
  if (structured === undefined) return undefined
  const { data, end } = structured
  const message = text.slice(end + 1).replace(/^\ufeff/, '')
  const time = timeOf(stamp, zone) ?? base.time
  return { ...base, time, host: known(host), app: known(app), process: known(process), id: known(id), data, message }
}

/** @param {string} word */
const known = word => (word === '-' ? undefined : word)

/**
 * Nanoseconds since 1970; undefined for what is not a time.
 * @param {string} text
 * @param {Zone} zone
 */
function timeOf(text, zone) {
  try {
    return parseTimestamp(text, zone)
  } catch {
    return undefined
  }
}

/**
 * `-` or `[ID NAME="VALUE" …]…`; undefined where it is neither.
 * @param {string} text
 * @param {number} at where it begins
 * @returns {{ readonly data: readonly Parameter[], readonly end: number } | undefined}
 */
function readStructured(text, at) {
  if (text[at] === '-') return { data: [], end: at + 1 }
  /** @type {Parameter[]} */
  const data = []
  const element = /\[([^\s=\]"]{1,255})|(\])|\s+([^\s=\]"]{1,255})="((?:[^"\\\]]|\\[\s\S])*)"/y
  element.lastIndex = at
  /** @type {string | undefined} */
  let id
  for (let found = element.exec(text); found !== null; found = element.exec(text)) {
    const [, opened, closed, name, value] = found
    if ((opened !== undefined) !== (id === undefined)) return undefined
    if (opened !== undefined) id = opened
    else if (id !== undefined && name !== undefined) data.push({ id, name, value: value.replace(/\\(["\\\]])/g, '$1') })
    if (closed === undefined) continue
    id = undefined
    if (text[element.lastIndex] !== '[') return { data, end: element.lastIndex }
  }
  return undefined
}

/**
 * RFC 3164, or what looks like it.
 * @param {string} text behind the priority
 * @param {Base} base
 * @param {bigint} now
 * @param {Zone} zone
 * @returns {Message}
 */
function parseOld(text, base, now, zone) {
  const stamped = oldTime.exec(text)
  if (stamped === null) return { ...base, ...sender(text, false) }
  const [head, month, day, clock, whole] = stamped
  const time = whole === undefined ? nearest(month, day, clock, now, zone) : timeOf(whole, zone)
  return { ...base, time: time ?? now, ...sender(text.slice(head.length), true) }
}

/**
 * @param {string} text
 * @param {boolean} hasHost the host stands only behind a time
 * @returns {Pick<Message, 'host' | 'app' | 'process' | 'message'>}
 */
function sender(text, hasHost) {
  const found = oldSender.exec(text) ?? (hasHost ? forwardedSender.exec(text) : null)
  if (found === null || (found[1] !== undefined && !hasHost)) return { message: text }
  const [head, host, app, process] = found
  return { host, app, process, message: text.slice(head.length) }
}

/**
 * These times have no year: it is the one that brings them closest to now.
 * @param {string} month
 * @param {string} day
 * @param {string} clock
 * @param {bigint} now
 * @param {Zone} zone
 */
function nearest(month, day, clock, now, zone) {
  const index = months.indexOf(month)
  if (index < 0) return undefined
  const year = new Date(Number(now / 1_000_000n)).getUTCFullYear()
  const date = `${String(index + 1).padStart(2, '0')}-${day.replace(' ', '0')}`
  const times = [year - 1, year, year + 1].map(each => timeOf(`${each}-${date} ${clock}`, zone))
  /** @param {bigint} time */
  const distance = time => (time > now ? time - now : now - time)
  return times.filter(time => time !== undefined).sort((a, b) => (distance(a) < distance(b) ? -1 : 1))[0]
}

/** @param {string} text */
function trimEnd(text) {
  let end = text.length
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r' || text[end - 1] === '\0')) end--
  return text.slice(0, end)
}
