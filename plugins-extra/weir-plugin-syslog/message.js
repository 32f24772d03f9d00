// One syslog message: bytes in, its parts out. Nothing is refused: what has no known form is a message without a header.
import { parseTimestamp } from 'weir-server'

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
 * `now` and `time` are nanoseconds since 1970; `zone` is that of times without an offset. `data` are the parameters of structured data, by
 * `ID` and `NAME`.
 */
export function parseMessage(bytes, now, zone) {
  const text = trimEnd(bytes.toString())
  const found = priority.exec(text)
  const code = Number(found?.[1] ?? 13)
  // Without a priority, or with one that is none: user.notice, RFC 3164 section 4.3.3.
  const isKnown = found !== null && code < facilities.length * 8
  const base = {
    facility: facilities[isKnown ? code >> 3 : 1],
    severity: severities[isKnown ? code & 7 : 5],
    time: now,
    data: []
  }
  if (!isKnown) return { ...base, message: text }
  const rest = text.slice(found[0].length)
  return parseNew(rest, base) ?? parseOld(rest, base, now, zone)
}

function parseNew(text, base) {
  const found = header.exec(text)
  if (found === null) return undefined
  const [head, stamp, host, app, process, id] = found
  const structured = readStructured(text, head.length)
  if (structured === undefined) return undefined
  const { data, end } = structured
  const message = text.slice(end + 1).replace(/^\ufeff/, '')
  const time = timeOf(stamp) ?? base.time
  return { ...base, time, host: known(host), app: known(app), process: known(process), id: known(id), data, message }
}

const known = word => (word === '-' ? undefined : word)

function timeOf(text, zone) {
  try {
    return parseTimestamp(text, zone)
  } catch {
    return undefined
  }
}

/** `-` or `[ID NAME="VALUE" …]…` from `at`; undefined where it is neither. */
function readStructured(text, at) {
  if (text[at] === '-') return { data: [], end: at + 1 }
  const data = []
  const element = /\[([^\s=\]"]{1,255})|(\])|\s+([^\s=\]"]{1,255})="((?:[^"\\\]]|\\[\s\S])*)"/y
  element.lastIndex = at
  let id
  for (let found = element.exec(text); found !== null; found = element.exec(text)) {
    const [, opened, closed, name, value] = found
    if ((opened !== undefined) !== (id === undefined)) return undefined
    if (opened !== undefined) id = opened
    else if (name !== undefined) data.push({ id, name, value: value.replace(/\\(["\\\]])/g, '$1') })
    if (closed === undefined) continue
    id = undefined
    if (text[element.lastIndex] !== '[') return { data, end: element.lastIndex }
  }
  return undefined
}

function parseOld(text, base, now, zone) {
  const stamped = oldTime.exec(text)
  if (stamped === null) return { ...base, ...sender(text, false) }
  const [head, month, day, clock, whole] = stamped
  const time = whole === undefined ? nearest(month, day, clock, now, zone) : timeOf(whole, zone)
  return { ...base, time: time ?? now, ...sender(text.slice(head.length), true) }
}

/** The host stands only behind a time. */
function sender(text, hasHost) {
  const found = oldSender.exec(text) ?? (hasHost ? forwardedSender.exec(text) : null)
  if (found === null || (found[1] !== undefined && !hasHost)) return { message: text }
  const [head, host, app, process] = found
  return { host, app, process, message: text.slice(head.length) }
}

/** These times have no year: it is the one that brings them closest to now. */
function nearest(month, day, clock, now, zone) {
  const index = months.indexOf(month)
  if (index < 0) return undefined
  const year = new Date(Number(now / 1_000_000n)).getUTCFullYear()
  const date = `${String(index + 1).padStart(2, '0')}-${day.replace(' ', '0')}`
  const times = [year - 1, year, year + 1].map(each => timeOf(`${each}-${date} ${clock}`, zone))
  const distance = time => (time > now ? time - now : now - time)
  return times.filter(time => time !== undefined).sort((a, b) => (distance(a) < distance(b) ? -1 : 1))[0]
}

function trimEnd(text) {
  let end = text.length
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r' || text[end - 1] === '\0')) end--
  return text.slice(0, end)
}
