/** A function that makes a value when it is first called, and returns the same one from then on: for patterns that most programs never use. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
