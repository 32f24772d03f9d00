// Numbers as benches print them.

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

/** Below each other. */
export function wide(value: number): string {
  return whole(value).padStart(11)
}

export function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`
}
