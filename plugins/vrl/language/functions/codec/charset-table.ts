// Encoders for character sets, made by inverting the tables of the runtime's TextDecoder.

/** The bytes of a text; `check` sees how many there will be before they are made. */
export type Encode = (text: string, check: (length: number) => void) => Uint8Array

type Table = ReadonlyMap<number, readonly number[]>

const ascii = [0x1b, 0x28, 0x42]
const japanese = [0x1b, 0x24, 0x42]

/** `encoding`: the standard name of a character set, as in `TextDecoder.encoding`. */
export function makeEncoder(encoding: string): Encode {
  if (/^utf|^replacement/.test(encoding)) return text => Buffer.from(text)
  if (encoding === 'iso-2022-jp') return shiftingEncoder(tableOf('euc-jp'))
  const table = tableOf(encoding)
  return (text, check) => {
    const sink = createSink(text.length, check)
    for (const char of text) {
      sink.add(table.get(char.codePointAt(0)!) ?? fallback(encoding, char.codePointAt(0)!))
    }
    return sink.done()
  }
}

/** Bytes that grow; `check` hears of their number now and then. */
interface Sink {
  readonly add: (bytes: readonly number[]) => void
  readonly done: () => Uint8Array
}

function createSink(capacity: number, check: (length: number) => void): Sink {
  let bytes = Buffer.allocUnsafe(capacity + 16)
  let length = 0
  return {
    add(more) {
      if (length + more.length > bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2 + more.length)
      for (let i = 0; i < more.length; i++) bytes[length++] = more[i]!
      if ((length & 1023) < more.length) check(length)
    },
    done: () => bytes.subarray(0, length)
  }
}

/** Four bytes in the one set that has all of Unicode, a reference elsewhere. */
function fallback(encoding: string, code: number): readonly number[] {
  if (encoding === 'gb18030' && code > 0xffff) return fourBytes(code - 0x10000 + 189_000)
  return [...Buffer.from(`&#${code};`)]
}

function fourBytes(linear: number): number[] {
  const last = linear % 10
  const third = Math.floor(linear / 10) % 126
  const second = Math.floor(linear / 1260) % 10
  return [0x81 + Math.floor(linear / 12_600), 0x30 + second, 0x81 + third, 0x30 + last]
}

/** ASCII and Japanese in seven bits, with sequences that switch between them. */
function shiftingEncoder(table: Table): Encode {
  return (text, check) => {
    const sink = createSink(text.length, check)
    let wide = false
    for (const char of text) {
      const found = table.get(char.codePointAt(0)!)
      const isWide = found?.length === 2 && found[0]! >= 0xa1
      if (isWide !== wide) sink.add(isWide ? japanese : ascii)
      wide = isWide
      const narrow = found?.length === 1 ? found : [...Buffer.from(`&#${char.codePointAt(0)};`)]
      sink.add(isWide ? found.map(byte => byte - 0x80) : narrow)
    }
    if (wide) sink.add(ascii)
    return sink.done()
  }
}

function tableOf(encoding: string): Table {
  const table = new Map<number, readonly number[]>()
  const decoder = new TextDecoder(encoding)
  const isWide = /^(gb|big5|euc|shift_jis)/.test(encoding)
  for (let byte = 0; byte < 256; byte++)
    if (byte < 128 || !isWide || encoding === 'shift_jis') learn(table, decoder, [byte])
  if (isWide) for (const lead of leads(encoding)) learnRow(table, decoder, lead)
  if (encoding === 'gb18030') for (let linear = 0; linear < 39_420; linear++) learn(table, decoder, fourBytes(linear))
  return table
}

/** Lead bytes of two-byte sequences, without those that duplicate characters of others. */
function leads(encoding: string): number[] {
  const all = Array.from({ length: 126 }, (_, i) => 0x81 + i)
  if (encoding === 'shift_jis') return all.filter(lead => lead !== 0xed && lead !== 0xee)
  return encoding === 'big5' ? all.filter(lead => lead >= 0xa1) : all
}

function learnRow(table: Map<number, readonly number[]>, decoder: TextDecoder, lead: number): void {
  for (let trail = 0x30; trail < 0xff; trail++) learn(table, decoder, [lead, trail])
}

/** The first sequence for a character is the one to write. */
function learn(table: Map<number, readonly number[]>, decoder: TextDecoder, bytes: number[]): void {
  const text = decoder.decode(Uint8Array.from(bytes))
  const code = text.codePointAt(0)!
  const isOne = text.length === (code > 0xffff ? 2 : 1)
  if (isOne && code !== 0xfffd && !table.has(code)) table.set(code, bytes)
}
