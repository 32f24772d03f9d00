// Texts of terminals: colours and weights as they were meant, other escape sequences left out.

interface Part {
  readonly text: string
  /** Names of classes. */
  readonly look: string
}

const introducer = '\u001b'
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const sequence = /\u001b(?:\[([0-9;:]*)([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g
const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']

export function partsOf(text: string): readonly Part[] {
  if (!text.includes(introducer)) return [{ text, look: '' }]
  const parts: Part[] = []
  let look: Look = {}
  let from = 0
  for (const found of text.matchAll(sequence)) {
    if (found.index > from) parts.push({ text: text.slice(from, found.index), look: classesOf(look) })
    from = found.index + found[0].length
    if (found[2] === 'm') look = changed(look, found[1]!)
  }
  if (from < text.length) parts.push({ text: text.slice(from), look: classesOf(look) })
  return parts
}

/** The text alone. */
export function plainText(text: string): string {
  return text.includes(introducer) ? text.replace(sequence, '') : text
}

interface Look {
  readonly colour?: string | undefined
  readonly isBold?: boolean
  readonly isFaint?: boolean
}

function changed(before: Look, codes: string): Look {
  let look = before
  const list = codes.split(/[;:]/).map(Number)
  for (let i = 0; i < list.length; i++) {
    const code = list[i]!
    if (code === 0) look = {}
    else if (code === 1) look = { ...look, isBold: true }
    else if (code === 2) look = { ...look, isFaint: true }
    else if (code === 22) look = { ...look, isBold: false, isFaint: false }
    else if (code === 39) look = { ...look, colour: undefined }
    else if (code >= 30 && code <= 37) look = { ...look, colour: colours[code - 30] }
    else if (code >= 90 && code <= 97) look = { ...look, colour: colours[code - 90] }
    // A colour of 256, or of red, green and blue: its numbers are no codes.
    else if (code === 38 || code === 48) i += list[i + 1] === 5 ? 2 : 4
  }
  return look
}

function classesOf({ colour, isBold, isFaint }: Look): string {
  return [colour && `ansi-${colour}`, isBold && 'ansi-bold', isFaint && 'quiet'].filter(Boolean).join(' ')
}
