// Bootstring with the parameters of Punycode, RFC 3492: one label of a domain name.

const base = 36
const tMin = 1
const tMax = 26
const skew = 38
const damp = 700
const initialBias = 72
const initialCode = 128

/** `step` is called once per character. */
export function encodeLabel(label: string, step: () => void): string {
  const codes = Array.from(label, char => char.codePointAt(0)!)
  const plain = codes.filter(code => code < initialCode)
  const out = plain.length === 0 ? [] : [String.fromCharCode(...plain), '-']
  const wanted = [...new Set(codes.filter(code => code >= initialCode))].sort((a, b) => a - b)
  let delta = 0
  let bias = initialBias
  let code = initialCode
  let done = plain.length
  for (const next of wanted) {
    step()
    delta += (next - code) * (done + 1)
    code = next
    for (const other of codes) {
      if (other < code) delta++
      if (other !== code) continue
      out.push(writeDelta(delta, bias))
      bias = adapt(delta, done + 1, done === plain.length)
      delta = 0
      done++
    }
    delta++
    code++
  }
  return out.join('')
}

/** Undefined for an invalid label. */
export function decodeLabel(label: string, step: () => void): string | undefined {
  const last = label.lastIndexOf('-')
  const codes = Array.from(last < 0 ? '' : label.slice(0, last), char => char.codePointAt(0)!)
  if (codes.some(code => code >= initialCode)) return undefined
  let index = 0
  let bias = initialBias
  let code = initialCode
  for (let at = last + 1; at < label.length; ) {
    step()
    const before = index
    let weight = 1
    for (let k = base; ; k += base) {
      const digit = digitOf(label.charCodeAt(at++))
      if (Number.isNaN(digit)) return undefined
      index += digit * weight
      if (index > 0x7fff_ffff) return undefined
      const threshold = thresholdOf(k, bias)
      if (digit < threshold) break
      weight *= base - threshold
    }
    const length = codes.length + 1
    bias = adapt(index - before, length, before === 0)
    code += Math.floor(index / length)
    index %= length
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined
    codes.splice(index++, 0, code)
  }
  return String.fromCodePoint(...codes)
}

function writeDelta(delta: number, bias: number): string {
  let text = ''
  let rest = delta
  for (let k = base; ; k += base) {
    const threshold = thresholdOf(k, bias)
    if (rest < threshold) return text + digitText(rest)
    text += digitText(threshold + ((rest - threshold) % (base - threshold)))
    rest = Math.floor((rest - threshold) / (base - threshold))
  }
}

function thresholdOf(k: number, bias: number): number {
  return Math.min(Math.max(k - bias, tMin), tMax)
}

function adapt(delta: number, length: number, first: boolean): number {
  let rest = Math.floor(delta / (first ? damp : 2))
  rest += Math.floor(rest / length)
  let k = 0
  for (; rest > ((base - tMin) * tMax) / 2; k += base) rest = Math.floor(rest / (base - tMin))
  return k + Math.floor(((base - tMin + 1) * rest) / (rest + skew))
}

/** Letters, then digits. */
function digitText(digit: number): string {
  return String.fromCharCode(digit < 26 ? 97 + digit : 22 + digit)
}

/** NaN for any other character, and at the end of the text. */
function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 22
  const lower = code | 32
  return lower >= 97 && lower <= 122 ? lower - 97 : Number.NaN
}
