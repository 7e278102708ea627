import type { AutoMerge, Forge } from '../forge.ts'
import { ForgeError } from '../forge-error.ts'
import { issuePath, pullPath } from '../github/shared-methods.ts'
import type { ForgeHttp } from '../http/forge-http.ts'
import { path, repositoryPath } from '../http/path.ts'
import { Fields, listOf } from '../reading/fields.ts'

/** Since version 1.23, Gitea always waits for what is required when it is asked to merge later. */
export function giteaAutoMerge(http: ForgeHttp) {
  /** The API does not show what is scheduled, only when it was scheduled and when that was taken back. */
  const history = async (repository: string, number: number, signal: AbortSignal) => {
    const found: { isOn: boolean; at: Date }[] = []
    for (let page = 1; page <= mostPages; page++) {
      const query = { page, limit: 50 }
      const at = `${issuePath(repository, number)}/timeline`
      // A page without events is null.
      const events = listOf((await http.json({ path: at, query, signal })) ?? [], readEvent)
      // The server may have smaller pages than requested, and does not name the last one.
      if (events.length === 0) return found.at(-1)
      for (const event of events) if (event !== undefined) found.push(event)
    }
    throw new ForgeError('invalid', 'the history of the pull request is too long')
  }
  return {
    autoMerge: async (repository, { base, number }, signal): Promise<AutoMerge> => {
      const version = new Fields(await http.json({ path: '/version', signal })).text('version')
      if (!isRecent(version)) {
        return { state: 'unsupported', why: 'merging later needs Gitea 1.23 or newer' }
      }
      const last = await history(repository, number, signal)
      if (last?.isOn) return { state: 'enabled' }
      const disabledAt = last?.at
      const at = `${repositoryPath(repository)}${path`/branches/${base}`}`
      const branch = new Fields(await http.json({ path: at, signal }))
      const isChecked =
        branch.flag('enable_status_check') && branch.list('status_check_contexts').some(isNamed)
      const isReviewed = branch.flag('protected') && branch.whole('required_approvals') > 0
      if (!isChecked && !isReviewed) {
        const why = 'the base branch requires neither status checks nor approvals'
        return { state: 'not-allowed', why, disabledAt }
      }
      if (!branch.flag('user_can_merge')) {
        const why = 'the owner of the token may not merge into the base branch'
        return { state: 'not-allowed', why, disabledAt }
      }
      return { state: 'possible', disabledAt }
    },
    enableAutoMerge: async (repository, { commit, number }, signal) => {
      const found = new Fields(await http.json({ path: repositoryPath(repository), signal }))
      const style = found.textOrEmpty('default_merge_style')
      const body = {
        Do: styles.includes(style) ? style : 'merge',
        merge_when_checks_succeed: true,
        head_commit_id: commit,
      }
      const at = `${pullPath(repository, number)}/merge`
      await http.json({ method: 'POST', path: at, body, signal })
    },
  } satisfies Partial<Forge>
}

const mostPages = 20
const styles = ['merge', 'rebase', 'rebase-merge', 'squash', 'fast-forward-only']

/** Forgejo has its own numbers, with the version of Gitea behind them, and what it does is not known. */
function isRecent(version: string): boolean {
  const [, major = '', minor = ''] = /^(\d{1,4})\.(\d{1,4})\./.exec(version) ?? []
  if (major === '' || /\+gitea/i.test(version)) return false
  return Number(major) > 1 || Number(minor) >= 23
}

/** A pattern for any status is fulfilled by that of the platform itself. */
function isNamed(context: unknown): boolean {
  return typeof context === 'string' && /[^*?/\s]/.test(context)
}

function readEvent(fields: Fields): { isOn: boolean; at: Date } | undefined {
  const type = fields.textOrEmpty('type')
  if (type !== 'pull_scheduled_merge' && type !== 'pull_cancel_scheduled_merge') return undefined
  return { isOn: type === 'pull_scheduled_merge', at: new Date(fields.text('created_at')) }
}
