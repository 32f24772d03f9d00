// Windows of time around rows found, wide enough to contain their context.

/** Ticks of the time index, all inclusive. */
export interface Window {
  /** The first and last row found in it are between these. */
  readonly first: bigint
  readonly last: bigint
  readonly from: bigint
  readonly to: bigint
}

/** With more windows, each row costs more than the skipped rows save. */
const maxWindows = 64

/** Windows that reach so far before and after every time. Overlapping windows are merged, and the closest ones if there are too many. */
export function windowsAround(times: Iterable<bigint>, before: bigint, after: bigint): readonly Window[] {
  const windows: Window[] = []
  for (const time of [...times].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))) {
    const next = { first: time, last: time, from: time - before, to: time + after }
    const previous = windows.at(-1)
    if (previous !== undefined && next.from <= previous.to) windows[windows.length - 1] = join(previous, next)
    else windows.push(next)
  }
  return joinNearest(windows)
}

function joinNearest(windows: readonly Window[]): readonly Window[] {
  if (windows.length <= maxWindows) return windows
  const gaps = windows.slice(1).map((window, i) => window.from - windows[i]!.to)
  const widest = gaps.toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0)).slice(0, maxWindows - 1)
  const min = widest.at(-1)!
  let equal = widest.filter(gap => gap === min).length
  const joined: Window[] = [windows[0]!]
  for (const [i, window] of windows.slice(1).entries()) {
    const parts = gaps[i]! > min || (gaps[i] === min && equal-- > 0)
    if (parts) joined.push(window)
    else joined[joined.length - 1] = join(joined.at(-1)!, window)
  }
  return joined
}

function join(a: Window, b: Window): Window {
  return { first: a.first, last: b.last, from: a.from, to: b.to > a.to ? b.to : a.to }
}
