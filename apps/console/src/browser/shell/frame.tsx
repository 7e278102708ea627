import { Link, Outlet } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { Plain } from '../parts/plain.tsx'
import { useSession } from '../session/session-gate.tsx'
import { Connection, LostBanner } from './connection.tsx'
import { ShortcutHelp } from './shortcut-help.tsx'
import { useShortcuts } from './shortcuts.ts'
import { chooseTheme, type Theme, useTheme } from './theme.ts'

const links = [
  { to: '/', text: 'Overview', icon: 'overview' },
  { to: '/runs', text: 'Runs', icon: 'runs' },
  { to: '/new', text: 'New run', icon: 'plus' },
  { to: '/approvals', text: 'Approvals', icon: 'succeeded' },
  { to: '/budgets', text: 'Budgets', icon: 'budgets' },
  { to: '/mirrors', text: 'Mirrors', icon: 'mirrors' },
  { to: '/inbox', text: 'Inbox', icon: 'inbox' },
  { to: '/kinds', text: 'Kinds', icon: 'kinds' },
  { to: '/audit', text: 'Audit', icon: 'audit' },
  { to: '/cluster', text: 'Cluster', icon: 'cluster' },
] as const

/** What surrounds all pages. */
export function Frame() {
  const [isHelpOpen, setHelpOpen] = useState(false)
  const showHelp = useCallback(() => setHelpOpen(true), [])
  useShortcuts(showHelp)
  return (
    <div className="frame">
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <header className="side">
        <Link to="/" className="brand">
          <img src="/favicon.svg" alt="" width="22" height="22" /> Agents
        </Link>
        <nav aria-label="Pages">
          {links.map(({ to, text, icon }) => (
            <Link key={to} to={to} className="nav-link" activeOptions={{ exact: to === '/' }}>
              <Icon name={icon} /> {text}
            </Link>
          ))}
        </nav>
        <div className="side-end">
          <Who />
          <Connection />
          <ThemeButton />
          <button type="button" className="icon-button" onClick={showHelp} aria-label="Keyboard">
            <Icon name="keyboard" />
          </button>
        </div>
      </header>
      <div className="content">
        <LostBanner />
        <main id="page" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      {isHelpOpen && <ShortcutHelp onClose={() => setHelpOpen(false)} />}
    </div>
  )
}

function Who() {
  const { who, signOut } = useSession()
  return (
    <div className="who">
      <span className="who-name" title={who.user.groups.join(', ')}>
        <Plain text={who.user.username} />
      </span>
      {who.session !== undefined && (
        <button type="button" className="link-button" onClick={signOut}>
          Sign out
        </button>
      )}
    </div>
  )
}

const nextTheme: Readonly<Record<Theme, Theme>> = { system: 'dark', dark: 'light', light: 'system' }

function ThemeButton() {
  const theme = useTheme()
  const label = `Theme: ${theme}. Change to ${nextTheme[theme]}`
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={label}
      onClick={() => chooseTheme(nextTheme[theme])}
    >
      <Icon name={theme === 'dark' ? 'moon' : 'sun'} />
    </button>
  )
}
