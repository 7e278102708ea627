import type { Logger } from '@agents/log'
import type { ControllersConfig } from '../../config/controllers.ts'
import type { InboxReader } from './inbox-reader.ts'

interface OpenInbox {
  readonly reader: InboxReader
  close(): Promise<void>
}

/** Opens the inbox of webhooks for the controllers. Undefined if there is no database, or webhooks are disabled. */
export async function openInbox(
  { webhooks, database }: Pick<ControllersConfig, 'webhooks' | 'database'>,
  log: Logger,
): Promise<OpenInbox | undefined> {
  const { url, ...tls } = database
  if (url === undefined || !webhooks.enabled) return undefined
  // Imported on demand, so that a process without a database does not load the driver.
  const [{ openDatabase }, { inboxReader }] = await Promise.all([
    import('../db.ts'),
    import('./inbox-reader.ts'),
  ])
  const db = await openDatabase({ url, ...tls }, log)
  return { reader: inboxReader(Promise.resolve(db)), close: () => db.destroy() }
}
