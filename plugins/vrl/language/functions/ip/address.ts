// IP addresses as bytes and as text.

/** The 4 or 16 bytes of an address; undefined if it is invalid. Zones and leading zeros are invalid. */
export function parseAddress(text: string): Uint8Array | undefined {
  return text.includes(':') ? parseV6(text) : parseV4(text)
}

export function parseV4(text: string): Uint8Array | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (match === null) return undefined
  const parts = match.slice(1)
  if (parts.some(part => Number(part) > 255 || (part.length > 1 && part[0] === '0'))) return undefined
  return Uint8Array.from(parts, Number)
}

const maxTextLength = 45

export function parseV6(text: string): Uint8Array | undefined {
  if (text.length > maxTextLength) return undefined
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = parseGroups(halves[0]!, halves.length === 1)
  const tail = halves.length === 1 ? [] : parseGroups(halves[1]!, true)
  if (head === undefined || tail === undefined) return undefined
  const gap = 16 - head.length - tail.length
  if (halves.length === 1 ? gap !== 0 : gap < 2) return undefined
  return Uint8Array.from([...head, ...new Array<number>(gap).fill(0), ...tail])
}

/** Bytes of groups with colons between; the last may be an address of version 4. */
function parseGroups(text: string, last: boolean): number[] | undefined {
  if (text === '') return []
  const bytes: number[] = []
  const groups = text.split(':')
  for (const [i, group] of groups.entries()) {
    if (/^[\da-fA-F]{1,4}$/.test(group)) {
      const value = Number.parseInt(group, 16)
      bytes.push(value >> 8, value & 255)
      continue
    }
    const embedded = last && i === groups.length - 1 ? parseV4(group) : undefined
    if (embedded === undefined) return undefined
    bytes.push(...embedded)
  }
  return bytes
}

/** The shortest text: the longest run of zeros as two colons, addresses of version 4 inside with dots. */
export function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  if (isMapped(bytes)) return `::ffff:${bytes.subarray(12).join('.')}`
  const groups = Array.from({ length: 8 }, (_, i) => (bytes[i * 2]! << 8) | bytes[i * 2 + 1]!)
  const { start, length } = longestZeros(groups)
  const print = (part: number[]) => part.map(group => group.toString(16)).join(':')
  if (length < 2) return print(groups)
  return `${print(groups.slice(0, start))}::${print(groups.slice(start + length))}`
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === 0) length++
    if (length > best.length) best = { start, length }
  }
  return best
}

/** Whether it is an IPv4-mapped IPv6 address. */
export function isMapped(bytes: Uint8Array): boolean {
  return (
    bytes.length === 16 && bytes[10] === 255 && bytes[11] === 255 && bytes.subarray(0, 10).every(byte => byte === 0)
  )
}

/** Always 16 bytes. */
export function toV6(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 16) return bytes
  return Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, ...bytes])
}

/** The first `length` bits set, of 4 or 16 bytes. */
export function maskOf(size: number, length: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => (0xff00 >> Math.min(Math.max(length - i * 8, 0), 8)) & 255)
}

export function applyMask(bytes: Uint8Array, mask: Uint8Array): Uint8Array {
  return bytes.map((byte, i) => byte & mask[i]!)
}
