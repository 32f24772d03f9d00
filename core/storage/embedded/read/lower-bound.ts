// Search by halves in ascending numbers.

/** Between `low` and `high` the first place that holds at least `number`; `high` where none does. */
export function lowerBound(numbers: Uint32Array, number: number, low = 0, high = numbers.length): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >> 1
    if (numbers[middle]! < number) from = middle + 1
    else to = middle
  }
  return from
}
