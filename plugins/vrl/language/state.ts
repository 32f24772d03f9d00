// Static knowledge at a point of the program: kinds of the event, the metadata and the variables in scope.
import { type Kind, kinds, union } from './kind.ts'
import { equals, type Value } from './value.ts'

export interface Variable {
  readonly slot: number
  readonly kind: Kind
  readonly constant?: Value
}

export interface State {
  event: Kind
  metadata: Kind
  variables: Map<string, Variable>
}

export function createState(event: Kind = kinds.object): State {
  return { event, metadata: kinds.object, variables: new Map() }
}

export function copyState(state: State): State {
  return { ...state, variables: new Map(state.variables) }
}

/** Merges the states of two branches into `state`; variables that only one has are dropped. */
export function mergeInto(state: State, a: State, b: State): void {
  state.event = union(a.event, b.event)
  state.metadata = union(a.metadata, b.metadata)
  const variables = new Map<string, Variable>()
  for (const [name, left] of a.variables) {
    const right = b.variables.get(name)
    if (right !== undefined) variables.set(name, mergeVariables(left, right))
  }
  state.variables = variables
}

function mergeVariables(a: Variable, b: Variable): Variable {
  if (a === b) return a
  const kind = union(a.kind, b.kind)
  if (a.constant === undefined || b.constant === undefined || !equals(a.constant, b.constant))
    return { slot: a.slot, kind }
  return { slot: a.slot, kind, constant: a.constant }
}

/** Takes everything from another state. */
export function assignState(state: State, from: State): void {
  Object.assign(state, from)
}

/** Drops the variables that were not there before, at the end of a block. */
export function leaveScope(state: State, before: ReadonlySet<string>): void {
  for (const name of state.variables.keys()) if (!before.has(name)) state.variables.delete(name)
}
