// Draws a flame graph: a self-contained SVG that is readable without its script; with it, it can be searched and zoomed.
import { createHash } from 'node:crypto'
import { view } from '../page.ts'
import { type Call, describeFrame, type Frame, formatAmount, type Profile, percent, totals } from '../profile.ts'

const width = 1200
const rowHeight = 18
const top = 66
/** Maximum frames; the smallest ones are left out. */
const maxFrames = 4000

const style = `
svg { font: 12px ui-monospace, Menlo, Consolas, monospace; --paper: #fff; --ink: #1b1f24; --bad: #b3261e; --link: #0b57d0; background: var(--paper) }
@media (prefers-color-scheme: dark) { svg { --paper: #171e24; --ink: #e6ebef; --bad: #ff8a80; --link: #8ab4ff } }
.paper { fill: var(--paper) }
text { fill: var(--ink); pointer-events: none }
.frame text { fill: #1b1f24 }
.title { font-weight: 700; font-size: 14px }
.frame { cursor: pointer }
.frame rect { rx: 2px }
.frame:hover rect, .frame:focus-visible rect { stroke: var(--ink); stroke-width: 1.5px }
.frame:focus { outline: none }
.above rect { opacity: .55 }
.outside { display: none }
.searched .frame rect { opacity: .3 }
.searched .found rect { opacity: 1; stroke: var(--bad); stroke-width: 1.5px }
.reset { fill: var(--link); cursor: pointer; pointer-events: auto; text-decoration: underline }
input { box-sizing: border-box; width: 100%; height: 24px; padding: 2px 8px; font: inherit; color: var(--ink);
  background: var(--paper); border: 1px solid #8b949e; border-radius: 4px }
`

const script = `(${view})(document.currentScript)`

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Lets a browser run the picture's own script and nothing else. Value of `Content-Security-Policy`. */
export const flameGraphPolicy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; frame-ancestors 'self'`

/** Hue, saturation and lightness in percent. */
const colours: Readonly<Record<Frame['kind'], readonly [number, number, number]>> = {
  plugin: [145, 45, 66],
  core: [212, 65, 74],
  package: [268, 45, 79],
  node: [215, 10, 78],
  native: [30, 80, 72]
}

interface Box {
  readonly call: Call
  readonly depth: number
  /** Left edge, as a share of the width. */
  readonly from: number
  readonly total: number
}

/** `title` describes the profile. */
export function drawFlameGraph(profile: Profile, title: string): string {
  const boxes = layOut(profile.root)
  const rows = boxes.reduce((deepest, { depth }) => Math.max(deepest, depth), 0) + 1
  const whole = boxes[0]!.total
  const height = top + rows * rowHeight + 10
  const frames = boxes.map(box => drawBox(box, whole, profile))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${escapeXml(title)}</title><desc>${escapeXml(profile.facts.join('\n'))}</desc><style>${style}</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    `<text class="title" x="6" y="22">${escapeXml(title)}</text>`,
    ...drawLegend(profile),
    `<text class="reset outside" x="640" y="22">reset zoom</text>`,
    `<text class="matched" x="760" y="22"></text>`,
    `<foreignObject x="894" y="6" width="300" height="26"><input xmlns="http://www.w3.org/1999/xhtml" type="search"`,
    ` placeholder="search functions, files, plugins" aria-label="search"/></foreignObject>`,
    ...frames,
    `<script><![CDATA[${script}]]></script></svg>`,
    ''
  ].join('\n')
}

/** The largest calls: parents before children, from left to right. */
function layOut(root: Call): readonly Box[] {
  const sums = totals(root)
  const smallest = [...sums.values()].sort((a, b) => b - a)[maxFrames - 1] ?? 0
  const whole = sums.get(root)!
  const boxes: Box[] = []
  const waiting: Box[] = [{ call: root, depth: 0, from: 0, total: whole }]
  for (let box = waiting.pop(); box !== undefined; box = waiting.pop()) {
    boxes.push(box)
    const below: Box[] = []
    let from = box.from
    const calls = [...box.call.calls.values()].map(call => ({ call, total: sums.get(call)! }))
    for (const { call, total } of calls.sort((a, b) => b.total - a.total)) {
      if (total > 0 && total >= smallest) below.push({ call, depth: box.depth + 1, from, total })
      from += total / whole
    }
    for (const each of below.reverse()) waiting.push(each)
    if (boxes.length >= maxFrames) break
  }
  return boxes
}

function drawBox({ call, depth, from, total }: Box, whole: number, profile: Profile): string {
  const share = whole === 0 ? 1 : total / whole
  const words = describeFrame(call.frame)
  const { kind, owner } = call.frame
  const itself = call.self > 0 ? `, ${formatAmount(profile, call.self)} itself` : ''
  const tip = `${words}\n${formatAmount(profile, total)}, ${percent(total, whole)}${itself}${owner === 'native' ? '' : `\n${owner}`}`
  const x = from * width
  const y = top + depth * rowHeight
  const maxLength = Math.floor((share * width - 6) / 7)
  const label = maxLength < 3 ? '' : words.length <= maxLength ? words : `${words.slice(0, maxLength - 1)}…`
  const box = `<rect x="${x.toFixed(2)}" y="${y}" width="${Math.max(0, share * width - 0.5).toFixed(2)}" height="${rowHeight - 1}" fill="${colourOf(kind, words)}"/>`
  return (
    `<g class="frame" data-from="${from.toFixed(9)}" data-share="${share.toFixed(9)}" data-depth="${depth}"><title>${escapeXml(tip)}</title>` +
    `${box}<text x="${(x + 3).toFixed(2)}" y="${y + 13}">${escapeXml(label)}</text></g>`
  )
}

function drawLegend({ legend }: Profile): string[] {
  return (Object.keys(colours) as Frame['kind'][]).map((kind, i) => {
    const x = 6 + i * 130
    const box = `<rect x="${x}" y="38" width="12" height="12" fill="${hsl(colours[kind])}"/>`
    return `${box}<text x="${x + 17}" y="48">${legend?.[kind] ?? kind}</text>`
  })
}

/** Colours of one kind vary a little; the same function always has the same colour. */
function colourOf(kind: Frame['kind'], words: string): string {
  let sum = 0
  for (let i = 0; i < words.length; i++) sum = (sum * 31 + words.charCodeAt(i)) | 0
  const [hue, saturation, lightness] = colours[kind]
  return hsl([hue + (Math.abs(sum) % 15) - 7, saturation, lightness + (Math.abs(sum >> 4) % 9) - 4])
}

function hsl([hue, saturation, lightness]: readonly [number, number, number]): string {
  return `hsl(${hue} ${saturation}% ${lightness}%)`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Names in uploaded profiles may contain anything. */
function escapeXml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML takes none of them, not even escaped
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
      .replace(/[&<>"]/g, sign => entities[sign]!)
  )
}
