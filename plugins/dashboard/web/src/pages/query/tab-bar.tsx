// The tabs of queries.
import { activate, activeTab, closeTab, openTab, type Tab, tabs, titleOf } from './tabs.ts'

export function TabBar({ onShow }: { onShow(tab: Tab): void }) {
  const show = (act: () => void) => {
    act()
    onShow(activeTab.peek())
  }
  return (
    <fieldset class="choice tabs">
      <legend class="hidden-label">Queries</legend>
      {tabs.value.map((tab, i) => (
        <span key={tab.id} class="joined">
          <button
            type="button"
            aria-pressed={tab.id === activeTab.value.id}
            title={tab.text}
            onClick={() => show(() => activate(tab.id))}
          >
            {titleOf(tab)}
          </button>
          {tabs.value.length > 1 && (
            <button type="button" aria-label={`Close query ${i + 1}`} onClick={() => show(() => closeTab(tab.id))}>
              ×
            </button>
          )}
        </span>
      ))}
      <button
        type="button"
        class="plain"
        aria-label="New query"
        onClick={() => show(() => openTab(activeTab.peek().language))}
      >
        +
      </button>
    </fieldset>
  )
}
