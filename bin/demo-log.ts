// Shifts the times of access log lines.

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const pattern = /\[(\d\d)\/(\w{3})\/(\d{4}):(\d\d):(\d\d):(\d\d) \+0000\]/

/** The line at a time, milliseconds since 1970. */
export function formatCombined(line: string, time: number): string {
  const [date, clock] = new Date(time).toISOString().split('T') as [string, string]
  const [year, month, day] = date.split('-')
  return line.replace(pattern, `[${day}/${months[Number(month) - 1]}/${year}:${clock.slice(0, 8)} +0000]`)
}

/** All lines with their distances kept, the last one now. */
export function shiftedLines(lines: readonly string[], now: number): string[] {
  const last = timeOf(lines.at(-1)!)
  return lines.map(line => formatCombined(line, now - last + timeOf(line)))
}

function timeOf(line: string): number {
  const [, day, month, year, hour, minute, second] = pattern.exec(line)!
  return Date.UTC(Number(year), months.indexOf(month!), Number(day), Number(hour), Number(minute), Number(second))
}
