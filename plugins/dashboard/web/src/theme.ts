// Light or dark: as the system says, unless the user chose.
import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const stored = localStorage.getItem('weir.theme')
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system')

const system = matchMedia('(prefers-color-scheme: dark)')
/** The theme in effect. */
export const isDark = signal(system.matches)

export function applyTheme(): void {
  const follow = () => {
    isDark.value = theme.value === 'system' ? system.matches : theme.value === 'dark'
  }
  system.addEventListener('change', follow)
  effect(() => {
    follow()
    document.documentElement.dataset['theme'] = isDark.value ? 'dark' : 'light'
    if (theme.value === 'system') localStorage.removeItem('weir.theme')
    else localStorage.setItem('weir.theme', theme.value)
  })
}

/** The value of a colour of styles/base.css at the moment, for what is drawn on a canvas. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
}
