// Sums that keep what rounding would lose (Kahan's method as improved by Neumaier).

interface KahanSum {
  value: number
  /** Belongs to the sum: `value + error` is the result. */
  error: number
}

export function addKahan(sum: KahanSum, term: number): void {
  const total = sum.value + term
  if (!Number.isFinite(total) && !Number.isNaN(total)) sum.error = 0
  else if (Math.abs(sum.value) >= Math.abs(term)) sum.error += sum.value - total + term
  else sum.error += term - total + sum.value
  sum.value = total
}
