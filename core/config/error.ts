// Problems of a configuration: all at once, each with its key and location.

export interface ConfigProblem {
  /** The key path, for example `['http', 'timeout']`; empty for the file as a whole. */
  readonly path: readonly string[]
  /** The problem, what was expected, and a suggestion if there is one. */
  readonly message: string
  /** `weir.toml:12`, `environment WEIR__HTTP__ADDR` or `--http-addr`; undefined if unknown. */
  readonly location?: string | undefined
}

/** The configuration is invalid and the server does not start. The message has a line per problem. */
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

/** The error with locations added to problems that have none. */
export function locateProblems(error: ConfigError, locate: (path: readonly string[]) => string | undefined) {
  return new ConfigError(
    error.problems.map(problem => ({ ...problem, location: problem.location ?? locate(problem.path) }))
  )
}
