// Decimal numbers that come as text.

/** The integer of `text` without its point, `scale` digits behind it. */
export function unscale(text: string, scale: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'))
}
