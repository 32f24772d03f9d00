// Compares strings as the protocol does: by their bytes in UTF-8.

export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x === y) continue
    // A surrogate (code point above U+FFFF) sorts after all other UTF-16 units.
    const beyond = Number(isHalf(x)) - Number(isHalf(y))
    return beyond || x - y
  }
  return a.length - b.length
}

function isHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000
}
