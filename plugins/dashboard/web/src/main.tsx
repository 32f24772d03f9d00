// Where the page begins.
import { render } from 'preact'
import { App } from './app.tsx'
import { applyTheme } from './theme.ts'
import './styles/base.css'
import './styles/layout.css'
import './styles/parts.css'

applyTheme()
render(<App />, document.getElementById('app')!)
