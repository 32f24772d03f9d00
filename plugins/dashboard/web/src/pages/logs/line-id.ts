// Ids of log lines in the address: the time, and the number among lines of that time.
export function lineIds(rows: readonly (readonly unknown[])[], timeAt: number): string[] {
  const ids: string[] = new Array(rows.length)
  let [last, count] = ['', 0]
  // From the oldest on: new lines leave the names of those before them alone.
  for (let i = rows.length - 1; i >= 0; i--) {
    const time = String(rows[i]![timeAt])
    count = time === last ? count + 1 : 0
    last = time
    ids[i] = count === 0 ? time : `${time}.${count}`
  }
  return ids
}

/** The ticks of the line's time. */
export function timeOfLine(id: string): bigint | undefined {
  const [ticks] = id.split('.')
  return /^-?\d{1,19}$/.test(ticks!) ? BigInt(ticks!) : undefined
}
