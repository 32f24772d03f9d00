// Binary search.

/** The first index between `low` and `high` whose number is at least `number`; `high` if there is none. */
export function lowerBound(numbers: Uint32Array, number: number, low = 0, high = numbers.length): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >> 1
    if (numbers[middle]! < number) from = middle + 1
    else to = middle
  }
  return from
}
