// The facts of a dashboard that lists show; the pages in the browser use the type, too.

/** A dashboard without its panels, as lists show it. */
export interface BoardFacts {
  readonly id: string
  readonly title: string
  readonly owner: string
  /** True: all users see it; false: only its owner. */
  readonly shared: boolean
  /** Comes with the server and cannot be changed. */
  readonly shipped: boolean
  /** Milliseconds since 1970. */
  readonly updated: number
  /** Increases by one with each change. */
  readonly revision: number
}
