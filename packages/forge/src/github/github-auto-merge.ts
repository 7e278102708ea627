import type { AutoMerge, Forge } from '../forge.ts'
import { ForgeError, type ForgeProblem } from '../forge-error.ts'
import type { ForgeHttp } from '../http/forge-http.ts'
import { repositoryPath } from '../http/path.ts'
import { Fields } from '../reading/fields.ts'
import { pullPath } from './shared-methods.ts'

/** The REST API shows it, but only GraphQL can turn it on. */
const enableDocument = `mutation enable($input: EnablePullRequestAutoMergeInput!) {
  enablePullRequestAutoMerge(input: $input) {
    pullRequest { number }
  }
}`

export function githubAutoMerge(http: ForgeHttp, graphql: ForgeHttp) {
  return {
    autoMerge: async (repository, { commit, number }, signal): Promise<AutoMerge> => {
      const found = new Fields(await http.json({ path: pullPath(repository, number), signal }))
      if (found.objectIfAny('auto_merge') !== undefined) return { state: 'enabled' }
      if (found.object('head').text('sha') !== commit) {
        return { state: 'waiting', why: 'it has got other commits' }
      }
      const state = found.textOrEmpty('mergeable_state')
      // Only then is there something that GitHub waits for. With conflicts, it would merge without any check as soon as
      // these are resolved.
      if (state === 'blocked') return { state: 'possible' }
      return Object.hasOwn(obstacles, state) ? (obstacles[state] ?? unknown) : unknown
    },
    enableAutoMerge: async (repository, { commit, number }, signal) => {
      const [pull, settings] = await Promise.all([
        http.json({ path: pullPath(repository, number), signal }),
        http.json({ path: repositoryPath(repository), signal }),
      ])
      const input = {
        pullRequestId: new Fields(pull).text('node_id'),
        expectedHeadOid: commit,
        mergeMethod: methodOf(new Fields(settings)),
      }
      const body = { query: enableDocument, variables: { input } }
      const answer = await graphql.json({ method: 'POST', path: '/graphql', body, signal })
      const [error] = new Fields(answer).list('errors')
      if (error !== undefined) throw refusal(new Fields(error))
    },
  } satisfies Partial<Forge>
}

const unknown = { state: 'waiting', why: 'GitHub is still examining it' } as const
const nothing = {
  state: 'not-allowed',
  why: 'nothing that the base branch requires is missing, so there is nothing to wait for',
} as const

const obstacles: Readonly<Record<string, AutoMerge>> = {
  clean: nothing,
  has_hooks: nothing,
  unstable: nothing,
  behind: { state: 'waiting', why: 'it is behind the base branch' },
  dirty: { state: 'waiting', why: 'it conflicts with the base branch' },
  draft: { state: 'waiting', why: 'it is a draft' },
}

/** Those who may not push do not see what is allowed. */
function methodOf(repository: Fields): string {
  if (repository.flag('allow_merge_commit')) return 'MERGE'
  if (repository.flag('allow_squash_merge')) return 'SQUASH'
  return repository.flag('allow_rebase_merge') ? 'REBASE' : 'MERGE'
}

/** Refusals have the status 200. What they say is compared with known sentences, and not shown. */
function refusal(error: Fields): ForgeError {
  const type = error.textOrEmpty('type')
  const text = error.textOrEmpty('message')
  const why = sentences.find(({ pattern }) => pattern.test(text))?.why ?? 'no reason is known'
  const problem = (Object.hasOwn(problems, type) ? problems[type] : undefined) ?? 'invalid'
  return new ForgeError(problem, `GitHub refuses to merge it later: ${why}`, {
    status: 200,
    ...(problem === 'rate-limited' && { retryAfterMs: 60_000 }),
  })
}

const problems: Readonly<Record<string, ForgeProblem>> = {
  FORBIDDEN: 'forbidden',
  NOT_FOUND: 'missing',
  RATE_LIMITED: 'rate-limited',
}

const sentences: readonly { readonly pattern: RegExp; readonly why: string }[] = [
  {
    pattern: /auto.?merge is not allowed/i,
    why: 'the settings of the repository do not allow auto-merge',
  },
  { pattern: /in (clean|unstable) status/i, why: nothing.why },
  { pattern: /not accessible|must have|permission/i, why: 'the token lacks a permission' },
]
