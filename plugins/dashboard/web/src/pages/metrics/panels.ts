// The expressions shown, one panel each; kept in the address.
import { computed } from '@preact/signals'
import { change, parameters } from '../../router.ts'

export const panels = computed<readonly string[]>(() => {
  const text = parameters.value.get('panels')
  return text === null ? [] : text.split('\n')
})

export function showPanels(expressions: readonly string[]): void {
  change({ panels: expressions.length === 0 ? undefined : expressions.join('\n') })
}

/** The list with a panel moved to another place. */
export function moved(expressions: readonly string[], from: number, to: number): string[] {
  const rest = expressions.filter((_, i) => i !== from)
  return rest.toSpliced(to, 0, expressions[from]!)
}
