// The user agent rules of the uap project (package `uap-core`): lists of regular expressions; the first match determines the result.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compileRegex, type LinearRegex, requiredTexts } from '../../../../../core/compute.ts'

/** The result of the rules; undefined members are unknown. */
interface RuleAgent {
  readonly browser: Parts<'family' | 'major' | 'minor' | 'patch'>
  readonly os: Parts<'family' | 'major' | 'minor' | 'patch' | 'patch_minor'>
  readonly device: Parts<'family' | 'brand' | 'model'>
}

type Parts<Name extends string> = Readonly<Partial<Record<Name, string>>>

/** Where a part of the result comes from: a replacement, by its key, or else a group of the match. */
interface Output {
  readonly part: string
  readonly key: string
  readonly group: number
}

/** Parts that come only from a replacement name a group that no expression has. */
const noGroup = 99

const outputs: Readonly<Record<string, readonly Output[]>> = {
  user_agent_parsers: [
    { part: 'family', key: 'family_replacement', group: 1 },
    { part: 'major', key: 'v1_replacement', group: 2 },
    { part: 'minor', key: 'v2_replacement', group: 3 },
    { part: 'patch', key: 'v3_replacement', group: 4 }
  ],
  os_parsers: [
    { part: 'family', key: 'os_replacement', group: 1 },
    { part: 'major', key: 'os_v1_replacement', group: 2 },
    { part: 'minor', key: 'os_v2_replacement', group: 3 },
    { part: 'patch', key: 'os_v3_replacement', group: 4 },
    { part: 'patch_minor', key: 'os_v4_replacement', group: 5 }
  ],
  device_parsers: [
    { part: 'family', key: 'device_replacement', group: 1 },
    { part: 'brand', key: 'brand_replacement', group: noGroup },
    { part: 'model', key: 'model_replacement', group: 1 }
  ]
}

/** A rule, compiled when it is first needed. */
interface Rule {
  readonly fields: ReadonlyMap<string, string>
  required?: readonly (readonly string[])[]
  regex?: LinearRegex
}

/** Parses a user agent in linear time. */
type ReadRules = (text: string) => RuleAgent

/** How many user agents are cached, because logs repeat them. */
const maxRemembered = 1000

let loaded: ReadRules | undefined

/** The rules, read once for all scripts. */
export function agentRules(): ReadRules {
  if (loaded !== undefined) return loaded
  const sections = readSections(readFileSync(fileURLToPath(import.meta.resolve('uap-core/regexes.yaml')), 'utf8'))
  const reader = (name: string) => sectionReader(sections.get(name)!, outputs[name]!)
  const [browser, os, device] = [reader('user_agent_parsers'), reader('os_parsers'), reader('device_parsers')]
  const remembered = new Map<string, RuleAgent>()
  loaded = text => {
    const known = remembered.get(text)
    if (known !== undefined) return known
    const lower = text.toLowerCase().replaceAll('ſ', 's')
    const agent = { browser: browser(text, lower), os: os(text, lower), device: device(text, lower) }
    if (remembered.size === maxRemembered) remembered.clear()
    remembered.set(text, agent)
    return agent
  }
  return loaded
}

/** Parses the subset of YAML that the file uses: lists of maps of quoted texts, one field per line. */
export function readSections(yaml: string): ReadonlyMap<string, readonly ReadonlyMap<string, string>[]> {
  const sections = new Map<string, Map<string, string>[]>()
  let section: Map<string, string>[] = []
  const lines = /^(?:(\w+):|(?: {2}- | {4})(\w+): *(?:'((?:[^']|'')*)'|"([^"\\]*)"))[ \t]*(?:#.*)?$/gm
  for (const [line, name, key, single, double] of yaml.matchAll(lines)) {
    if (name !== undefined) {
      section = []
      sections.set(name, section)
      continue
    }
    if (line.startsWith('  -')) section.push(new Map())
    section.at(-1)!.set(key!, double ?? single!.replaceAll("''", "'"))
  }
  return sections
}

function sectionReader(list: readonly ReadonlyMap<string, string>[], parts: readonly Output[]) {
  const rules: readonly Rule[] = list.map(fields => ({ fields }))
  return (text: string, lower: string): Readonly<Record<string, string>> => {
    for (const rule of rules) {
      const groups = matchRule(rule, text, lower)
      if (groups !== undefined) return readParts(rule, groups, parts)
    }
    return {}
  }
}

function matchRule(rule: Rule, text: string, lower: string): readonly (string | undefined)[] | undefined {
  const source = rule.fields.get('regex')!
  const flags = rule.fields.get('regex_flag') ?? ''
  rule.required ??= requiredTexts(source, flags)
  if (!rule.required.every(texts => texts.some(text => lower.includes(text)))) return undefined
  rule.regex ??= compileRegex(source, flags)
  return rule.regex.exec(text)?.groups
}

function readParts(
  { fields }: Rule,
  groups: readonly (string | undefined)[],
  parts: readonly Output[]
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { part, key, group } of parts) {
    const replacement = fields.get(key)
    const text = replacement?.replaceAll(/\$([1-9])/g, (_, digit) => groups[Number(digit)] ?? '') ?? groups[group] ?? ''
    const trimmed = text.trim()
    if (trimmed !== '') found[part] = trimmed
  }
  return found
}
