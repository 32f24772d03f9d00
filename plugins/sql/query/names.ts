// Names of columns for the engine, which takes `Host` and `host` for the same: every name of a statement gets one of its own in any case.

export interface Names {
  /** The engine's name for a name. Equal names have equal ones everywhere. */
  encode(name: string): string
  /** Names to show instead of the engine's. */
  readonly shown: ReadonlyMap<string, string>
}

export function makeNames(names: Iterable<string>): Names {
  const taken = new Set<string>()
  const encoded = new Map<string, string>()
  const shown = new Map<string, string>()
  for (const name of names) {
    if (encoded.has(name)) continue
    let told = name
    for (let i = 1; taken.has(told.toLowerCase()); i++) told = `${name}~${i}`
    taken.add(told.toLowerCase())
    encoded.set(name, told)
    if (told !== name) shown.set(told, name)
  }
  return { encode: name => encoded.get(name) ?? name, shown }
}
