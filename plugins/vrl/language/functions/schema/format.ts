// The formats of texts that schemas name.
import { isIP } from 'node:net'
import { parseRfc3339 } from '../../time-literal.ts'

const day = /^\d{4}-\d{2}-\d{2}$/
const clock = /^\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/
const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every(part => label.test(part))
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  return at > 0 && at <= 64 && /^[^\s@"(),:;<>[\]\\]+$/.test(text.slice(0, at)) && isHostname(text.slice(at + 1))
}

/** Tests by the name of the format. */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': text => parseRfc3339(text) !== undefined,
  date: text => day.test(text) && parseRfc3339(`${text}T00:00:00Z`) !== undefined,
  time: text => clock.test(text) && parseRfc3339(`1970-01-01T${text}`) !== undefined,
  email: isEmail,
  hostname: isHostname,
  ipv4: text => isIP(text) === 4,
  ipv6: text => isIP(text) === 6 && !text.includes('%'),
  uri: text => URL.canParse(text),
  'uri-reference': text => URL.canParse(text, 'http://a/'),
  uuid: text => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(text),
  'json-pointer': text => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text)
}
