import type { Page } from 'playwright-core'

interface Picture {
  /** The file, without its ending. */
  readonly name: string
  readonly path: string
  readonly theme?: 'light' | 'dark'
  /** Resolves when the page shows what the picture is about. */
  readonly ready: (page: Page) => Promise<unknown>
}

function text(wanted: string | RegExp): Picture['ready'] {
  return (page) => page.getByRole('main').getByText(wanted).first().waitFor()
}

/** Each page, with something on it. */
export const pictures: readonly Picture[] = [
  { name: 'overview', path: '/', ready: text('waits for approval') },
  { name: 'runs', path: '/runs', ready: text('bump-dependencies') },
  { name: 'runs-dark', theme: 'dark', path: '/runs', ready: text('bump-dependencies') },
  {
    name: 'run',
    path: '/runs/agents/fix-login-timeout',
    ready: (page) => page.locator('[data-log-state=ended]').waitFor(),
  },
  {
    name: 'run-dark',
    theme: 'dark',
    path: '/runs/agents/fix-login-timeout',
    ready: (page) => page.locator('[data-log-state=ended]').waitFor(),
  },
  { name: 'checks', path: '/runs/agents/bump-dependencies?view=checks', ready: text('Finished') },
  {
    name: 'artifacts',
    path: '/runs/agents/fix-login-timeout?view=artifacts',
    ready: text('transcript.md'),
  },
  { name: 'events', path: '/runs/agents/first-run?view=events', ready: text('ImagePulled') },
  { name: 'graph', path: '/runs/agents/release-notes-1', ready: text('review') },
  {
    name: 'timeline',
    path: '/runs/agents/release-notes-1?view=timeline',
    ready: text('changelog'),
  },
  {
    name: 'new-run',
    path: '/new?of=scripted',
    ready: async (page) => {
      await page.getByLabel('Task').fill('Find why the login times out, and fix it.')
      await page.getByLabel('Name', { exact: true }).fill('fix-login-timeout-2')
      await page.locator('[data-check=valid]').waitFor()
    },
  },
  { name: 'approvals', path: '/approvals', ready: text('Drop the column') },
  { name: 'budgets', path: '/budgets', ready: text('all runs of the namespace') },
  { name: 'mirrors', path: '/mirrors', ready: text('RUNNING') },
  { name: 'kinds', path: '/kinds', ready: text('Orchestration') },
  { name: 'objects', path: '/kinds/schedules.schedules.proompteng.ai', ready: text('nightly') },
  {
    name: 'object',
    path: '/kinds/agents.agents.proompteng.ai/agents/scripted?view=yaml',
    ready: text('Unchanged'),
  },
  { name: 'audit', path: '/audit', ready: text('createSessionCode') },
  { name: 'cluster', path: '/cluster', ready: text('yes, with objects') },
]
