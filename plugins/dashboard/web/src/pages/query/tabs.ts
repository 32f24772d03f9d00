// Queries being written, each in a tab of its own; kept in the browser.
import { computed, signal } from '@preact/signals'
import type { Language } from './ask.ts'

export interface Tab {
  readonly id: string
  readonly language: Language
  readonly text: string
  /** The text that was run last; empty if none was. */
  readonly asked: string
}

const key = 'weir.tabs'
const maxTabs = 20

const state = signal(read())

export const tabs = computed(() => state.value.tabs)
export const activeTab = computed(
  () => state.value.tabs.find(({ id }) => id === state.value.active) ?? state.value.tabs[0]!
)

interface State {
  readonly tabs: readonly Tab[]
  readonly active: string
}

function keep(next: State): void {
  state.value = next
  localStorage.setItem(key, JSON.stringify(next))
}

/** Changes the active one. */
export function changeTab(changes: Partial<Omit<Tab, 'id'>>): void {
  const { id } = activeTab.peek()
  keep({ active: id, tabs: tabs.peek().map(tab => (tab.id === id ? { ...tab, ...changes } : tab)) })
}

export function activate(id: string): void {
  keep({ ...state.peek(), active: id })
}

export function openTab(language: Language, text = ''): void {
  const tab = { id: crypto.randomUUID?.() ?? String(Math.random()), language, text, asked: '' }
  keep({ active: tab.id, tabs: [...tabs.peek(), tab].slice(-maxTabs) })
}

export function closeTab(id: string): void {
  const list = tabs.peek()
  const index = list.findIndex(tab => tab.id === id)
  const rest = list.filter(tab => tab.id !== id)
  const active = activeTab.peek().id === id ? (rest[index] ?? rest[index - 1])?.id : activeTab.peek().id
  if (rest.length === 0) openTab('sql')
  if (rest.length > 0) keep({ active: active!, tabs: rest })
}

/** The tab for a query from the address: one with the same query, else an unchanged one, else a new one. */
export function adopt(language: Language, text: string): void {
  const has = (tab: Tab) => tab.language === language && tab.text === text
  const active = activeTab.peek()
  const other = has(active) ? active : tabs.peek().find(has)
  if (other !== undefined) activate(other.id)
  else if (active.text.trim() === '' || active.text === active.asked) changeTab({ language, text })
  else openTab(language, text)
  changeTab({ asked: text })
}

/** The first words of a query. */
export function titleOf({ text, language }: Tab): string {
  const line = text.trim().replace(/\s+/g, ' ')
  if (line === '') return language === 'sql' ? 'New SQL' : 'New PromQL'
  return line.length > 24 ? `${line.slice(0, 23)}…` : line
}

function read(): State {
  const first: Tab = { id: 'first', language: 'sql', text: '', asked: '' }
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? 'null') as State | null
    if (found !== null && found.tabs.length > 0) return found
  } catch {
    // An unreadable state is replaced.
  }
  return { tabs: [first], active: first.id }
}
