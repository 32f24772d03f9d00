// Shows the progress of a long copy on stderr: a bar on a terminal, occasional lines elsewhere.
export interface Progress {
  /** Bytes, or other units, done since the last call. */
  add(bytes: number): void
  /** Bytes that must be copied again, or turned out unnecessary. */
  takeBack(bytes: number): void
  end(): void
}

const width = 30
/** Milliseconds between two updates of the bar, and between two lines. */
const redraw = 100
const lineEvery = 5_000

/** `amountOf` formats amounts, by default as bytes. */
export function showProgress(
  label: string,
  total: number,
  out: NodeJS.WriteStream = process.stderr,
  amountOf: (done: number) => string = readable
): Progress {
  const terminal = out.isTTY === true
  const started = performance.now()
  let done = 0
  let shown = terminal ? 0 : started
  const draw = () => {
    shown = performance.now()
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const percent = `${Math.floor(share * 100)} %`.padStart(5)
    const amount = `${amountOf(done)} of ${amountOf(total)}`
    const filled = Math.round(share * width)
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}]`
    out.write(terminal ? `\r${label} ${bar} ${percent}  ${amount}\x1b[K` : `${label} ${percent.trim()}, ${amount}\n`)
  }
  return {
    add(bytes) {
      done += bytes
      if (performance.now() - shown >= (terminal ? redraw : lineEvery)) draw()
    },
    takeBack(bytes) {
      done -= bytes
    },
    end() {
      draw()
      if (terminal) out.write('\n')
    }
  }
}

/** Three significant digits: `12.3 MiB`. */
export function readable(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return power === 0 ? `${bytes} B` : `${(bytes / 1024 ** power).toPrecision(3)} ${units[power]}`
}
