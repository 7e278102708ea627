import type { AccessQuestion, ReviewClient } from '@agents/kube'
import type { Finding } from '../cluster-checks/finding.ts'
import type { Grant, PolicyRule } from './grant.ts'

interface AccessCheckOptions {
  readonly client: Pick<ReviewClient, 'reviewOwnAccess' | 'whoAmI'>
  readonly grants: readonly Grant[]
  readonly signal: AbortSignal
}

/** Maximum number of missing permissions that the message names. */
const mentioned = 6
/** Maximum number of concurrent requests. */
const atOnce = 8

/** Checks that the current user has every permission of the rules. */
export async function checkAccess({
  client,
  grants,
  signal,
}: AccessCheckOptions): Promise<Finding> {
  const about = 'rbac'
  const questions = [...new Map(questionsOf(grants)).entries()]
  if (questions.length === 0) {
    return { about, verdict: 'bad', says: 'no permissions to check: the rules are empty' }
  }
  const call = { signal, timeoutMs: 5_000 }
  const denied: string[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let at = next++; at < questions.length; at = next++) {
      const [words, question] = questions[at] ?? []
      if (words === undefined || question === undefined) return
      if (!(await client.reviewOwnAccess(question, call)).allowed) denied.push(words)
    }
  }
  const [{ username: who = 'this account' }] = await Promise.all([
    client.whoAmI(call),
    ...Array.from({ length: atOnce }, work),
  ])
  if (denied.length === 0) {
    return {
      about,
      verdict: 'good',
      says: `${who} has all ${questions.length} required permissions`,
    }
  }
  denied.sort()
  const others = denied.length - mentioned
  const list = denied.slice(0, mentioned).join(', ')
  return {
    about,
    verdict: 'bad',
    says: `${who} is not allowed to ${list}${others > 0 ? `, and ${others} more` : ''}`,
    advice: [
      'Compare its Roles with those of the chart (helm get manifest). The chart creates them if rbac.create is true; otherwise add these permissions to your own Roles.',
    ],
  }
}

/** Each permission with its description. */
function* questionsOf(grants: readonly Grant[]): Generator<[words: string, AccessQuestion]> {
  for (const { namespace, rules } of grants) {
    for (const rule of rules) yield* questionsOfRule(rule, namespace)
  }
}

function* questionsOfRule(
  { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs }: PolicyRule,
  namespace: string | undefined,
): Generator<[words: string, AccessQuestion]> {
  const place = namespace === undefined ? '' : ` in ${namespace}`
  const names = resourceNames.length === 0 ? [undefined] : resourceNames
  for (const verb of verbs) {
    for (const path of nonResourceURLs) {
      yield [`${verb} ${path}`, { nonResourceAttributes: { verb, path } }]
    }
    for (const group of apiGroups) {
      for (const full of resources) {
        const [resource = '', subresource] = full.split('/', 2)
        for (const name of names) {
          const type =
            group === '' ? full : `${resource}.${group}${subresource ? `/${subresource}` : ''}`
          yield [
            `${verb} ${type}${name === undefined ? '' : ` ${name}`}${place}`,
            {
              resourceAttributes: {
                verb,
                group,
                resource,
                ...(subresource !== undefined && { subresource }),
                ...(name !== undefined && { name }),
                ...(namespace !== undefined && { namespace }),
              },
            },
          ]
        }
      }
    }
  }
}
