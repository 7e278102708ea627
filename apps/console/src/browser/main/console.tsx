import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/parts.css'
import '../styles/frame.css'
import '../styles/pages.css'
import '../styles/log.css'
import '../styles/approvals.css'
import '../styles/editor.css'
import '../styles/state.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ConsoleDataProvider, createConsoleData } from '../data/console-data.tsx'
import { createConsoleRouter } from '../pages/router.tsx'
import { currentProof, takeTicket } from '../session/proof.ts'
import { SessionGate } from '../session/session-gate.tsx'
import { applyTheme } from '../shell/theme.ts'

const ticket = takeTicket()
applyTheme()
const data = createConsoleData(() => {
  const proof = currentProof()
  return proof === undefined ? {} : { 'x-agents-session': proof }
})
const router = createConsoleRouter()
const element = document.getElementById('console')
if (element === null) throw new Error('the page has no place for the console')
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={data.queries}>
      <ConsoleDataProvider value={data}>
        <SessionGate ticket={ticket}>
          <RouterProvider router={router} />
        </SessionGate>
      </ConsoleDataProvider>
    </QueryClientProvider>
  </StrictMode>,
)
