// Loads the rule files that patterns name, all or none.
import { globSync, readFileSync } from 'node:fs'
import { reasonOf } from '../reason.ts'
import { type ParseOptions, parseRuleFile } from './parse.ts'
import type { RuleGroup } from './rule.ts'

export interface LoadLimits {
  readonly max_groups: number
  readonly max_rules: number
}

/** Throws Error with a line per problem in files or rules, or if there are too many of them. */
export function loadRules(
  patterns: readonly string[],
  options: ParseOptions,
  limits: LoadLimits
): readonly RuleGroup[] {
  const problems: string[] = []
  const files = new Set<string>()
  for (const pattern of patterns) {
    const found = globSync(pattern).sort()
    const isPattern = /[*?[{(]/.test(pattern)
    if (found.length === 0 && !isPattern) problems.push(`${pattern}: there is no such file`)
    for (const file of found) files.add(file)
  }
  const groups: RuleGroup[] = []
  for (const file of files) {
    try {
      const parsed = parseRuleFile(file, readFileSync(file, 'utf8'), options)
      problems.push(...parsed.problems)
      for (const group of parsed.groups) groups.push(group)
    } catch (error) {
      problems.push(`${file}: ${reasonOf(error)}`)
    }
  }
  const rules = groups.reduce((sum, group) => sum + group.rules.length, 0)
  if (groups.length > limits.max_groups) {
    problems.push(
      `there are ${groups.length} groups of rules, at most ${limits.max_groups} (plugins.alerting.max_groups)`
    )
  }
  if (rules > limits.max_rules) {
    problems.push(`there are ${rules} rules, at most ${limits.max_rules} (plugins.alerting.max_rules)`)
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return groups
}
