// What is wrong with a configuration: every problem at once, each with its key and where it was written.

export interface ConfigProblem {
  /** The key path: `['http', 'timeout']`; empty when the file as a whole is meant. */
  readonly path: readonly string[]
  /** What is wrong, what was expected, and the likeliest intention. */
  readonly message: string
  /** `weir.toml:12`, `environment WEIR__HTTP__ADDR` or `--http-addr`; undefined when the reporter does not know it. */
  readonly location?: string | undefined
}

/** A configuration the server does not start with. The message is one line per problem. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(describeProblem).join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

function describeProblem({ path, message, location }: ConfigProblem): string {
  return [location, path.length === 0 ? undefined : path.join('.'), message]
    .filter(part => part !== undefined)
    .join(': ')
}

/** The same error with a location for every problem that has none. */
export function locateProblems(error: ConfigError, locate: (path: readonly string[]) => string | undefined) {
  return new ConfigError(
    error.problems.map(problem => ({ ...problem, location: problem.location ?? locate(problem.path) }))
  )
}
