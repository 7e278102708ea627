import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/parts.css'
import '../styles/frame.css'
import '../styles/pages.css'
import '../styles/log.css'
import '../styles/approvals.css'
import '../styles/editor.css'
import '../styles/state.css'
import './parts-page.css'
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { PartsPage } from './parts-page.tsx'

const element = document.getElementById('console')
if (element === null) throw new Error('the page has no place for its parts')
// Links lead nowhere: they are looked at.
const router = createRouter({
  routeTree: createRootRoute({ component: PartsPage, notFoundComponent: PartsPage }),
  history: createMemoryHistory(),
})
createRoot(element).render(
  <StrictMode>
    <RouterProvider router={router as never} />
  </StrictMode>,
)
