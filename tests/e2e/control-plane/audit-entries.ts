import type { AuditEntry } from '../../../services/jangar/src/server/audit/audit-entry.ts'
import { type ApiBed, type CallerName, callers } from './api-bed.ts'

const everything = {
  ...{ namespace: undefined, actor: undefined, action: undefined, outcome: undefined },
}

/** The number of the newest entry. */
export async function newestEntry({ audit }: Pick<ApiBed, 'audit'>): Promise<number> {
  const [newest] = await audit.list({ ...everything, limit: 1, before: undefined })
  return newest?.seq ?? 0
}

/** All entries after this one, oldest first. */
export async function entriesAfter(
  { audit }: Pick<ApiBed, 'audit'>,
  last: number,
): Promise<readonly AuditEntry[]> {
  const found: AuditEntry[] = []
  let before: number | undefined
  do {
    const page = await audit.list({ ...everything, limit: 1000, before })
    found.push(...page.filter(({ seq }) => seq > last))
    before = page.at(-1)?.seq
  } while (before !== undefined && before > last + 1)
  return found.toReversed()
}

/** Who the cluster says that each caller is. Those whom it does not know have an empty name. */
export async function usernames(
  { tokens, askPort }: Pick<ApiBed, 'tokens' | 'askPort'>,
  port: number,
): Promise<ReadonlyMap<CallerName, string>> {
  const names = new Map<CallerName, string>()
  for (const caller of callers) {
    const { status, text } = await askPort(port, '/v1/session', { token: tokens[caller] })
    names.set(caller, status === 200 ? JSON.parse(text).user.username : '')
  }
  return names
}

/** Slows callers down whom the cluster does not know: of them, 20 acts a second are recorded. */
export function strangerPace(): () => Promise<void> {
  const times: number[] = []
  return async () => {
    const wait = (times.at(-18) ?? Number.NEGATIVE_INFINITY) + 1050 - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    times.push(performance.now())
  }
}
