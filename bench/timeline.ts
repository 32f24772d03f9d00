// What a server takes while a long bench runs: memory, disk and the time of one query, as a table of bars and as a picture.
import { folderMiB, treeMiB } from './process-tree.ts'

export interface TimelinePoint {
  readonly seconds: number
  readonly memoryMiB: number
  readonly diskMiB: number
  /** Milliseconds; NaN where the server did not answer. */
  readonly query: number
}

export interface Watched {
  readonly pid: number
  readonly folder: string
  /** Asked at every point. */
  readonly query: string
}

/** Looks every so many seconds until `stop`, which returns what was seen. */
export function watch({ pid, folder, query }: Watched, every: number): { stop(): Promise<readonly TimelinePoint[]> } {
  const points: TimelinePoint[] = []
  const started = performance.now()
  let isOpen = true
  let wake = () => {}
  const look = async () => {
    const before = performance.now()
    const answered = await fetch(query)
      .then(answer => answer.arrayBuffer().then(() => answer.ok))
      .catch(() => false)
    points.push({
      seconds: (before - started) / 1000,
      memoryMiB: treeMiB(pid),
      diskMiB: folderMiB(folder),
      query: answered ? performance.now() - before : Number.NaN
    })
  }
  const run = async () => {
    while (isOpen) {
      await look()
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, every * 1000)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  const running = run()
  return {
    async stop() {
      isOpen = false
      wake()
      await running
      return points
    }
  }
}

const panels = [
  { name: 'memory, MiB', of: (point: TimelinePoint) => point.memoryMiB },
  { name: 'disk, MiB', of: (point: TimelinePoint) => point.diskMiB },
  { name: 'query, ms', of: (point: TimelinePoint) => point.query }
] as const

const bars = '▁▂▃▄▅▆▇█'

/** One line a panel, with at most so many bars; each is the largest of the points it stands for. */
export function plotText(points: readonly TimelinePoint[], width = 72): string {
  const lines = panels.map(({ name, of }) => {
    const values = columnsOf(points.map(of), width)
    const most = Math.max(...values.filter(Number.isFinite), 0)
    const drawn = values.map(value => (Number.isFinite(value) ? bars[Math.floor((value / (most || 1)) * 7)] : ' '))
    return `  ${name.padEnd(12)} ${drawn.join('')} at most ${most.toFixed(most < 10 ? 1 : 0)}`
  })
  return lines.join('\n')
}

function columnsOf(values: readonly number[], width: number): number[] {
  const count = Math.min(width, values.length)
  return Array.from({ length: count }, (_, i) => {
    const some = values.slice(Math.floor((i * values.length) / count), Math.floor(((i + 1) * values.length) / count))
    const there = some.filter(Number.isFinite)
    return there.length === 0 ? Number.NaN : Math.max(...there)
  })
}

const [left, wide, high, gap] = [60, 800, 140, 40]
const colours = ['#1f6feb', '#d1242f', '#1a7f37']

/** The panels below each other, a line for each server. */
export function plotSvg(series: ReadonlyMap<string, readonly TimelinePoint[]>): string {
  const end = Math.max(1, ...[...series.values()].flatMap(points => points.map(({ seconds }) => seconds)))
  const drawn = panels.map(({ name, of }, index) => {
    const top = gap + index * (high + gap)
    const values = [...series.values()].flatMap(points => points.map(of)).filter(Number.isFinite)
    const most = Math.max(...values, 1e-9)
    const lines = [...series].map(([server, points], i) => {
      const line = points
        .filter(point => Number.isFinite(of(point)))
        .map(
          point =>
            `${(left + (point.seconds / end) * wide).toFixed(1)},${(top + high - (of(point) / most) * high).toFixed(1)}`
        )
      const colour = colours[i % colours.length]
      const label = `<text x="${left + wide - 4}" y="${top + 14 + 14 * i}" text-anchor="end" fill="${colour}">${server}</text>`
      return `<polyline fill="none" stroke="${colour}" points="${line.join(' ')}"/>${label}`
    })
    return `<text x="${left}" y="${top - 6}">${name}, at most ${most.toFixed(most < 10 ? 1 : 0)}</text><rect x="${left}" y="${top}" width="${wide}" height="${high}" fill="none" stroke="#888"/>${lines.join('')}`
  })
  const height = gap + panels.length * (high + gap)
  const axis = `<text x="${left + wide}" y="${height - gap + 18}" text-anchor="end">${Math.round(end)} s</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + wide + 20}" height="${height}" font-family="sans-serif" font-size="12">${drawn.join('')}${axis}</svg>\n`
}
