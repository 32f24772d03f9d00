// Words below a time axis: clock times, with the day where it changes.
const day = 86_400

/** For each place of the axis, in seconds since 1970, `step` seconds apart. */
export function timeWordsOf(places: readonly number[], step: number): string[] {
  let before = ''
  return places.map(place => {
    const date = new Date(place * 1000)
    const two = (value: number) => String(value).padStart(2, '0')
    const today = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
    if (step >= 28 * day) return today.slice(0, 7)
    if (step >= day) return today
    const clock = `${two(date.getHours())}:${two(date.getMinutes())}`
    const word =
      step >= 60
        ? clock
        : `${clock}:${two(date.getSeconds())}${step < 1 ? `.${String(date.getMilliseconds()).padStart(3, '0')}` : ''}`
    const isNew = today !== before
    before = today
    return isNew ? `${word}\n${today}` : word
  })
}
