import type { SourceIssue } from '../../../inbox/delivery/source-issue.ts'

/** One condition of a query. */
export interface QueryTerm {
  readonly isNot: boolean
  /** Any of the labels, or the text in one of the members. */
  readonly kind: 'label' | 'text'
  readonly values: readonly string[]
}

/** A query as both a delivery and a list can answer it, or why it is none. */
export type ScopeQuery =
  | { readonly terms: readonly QueryTerm[]; readonly members: readonly TextMember[] }
  | { readonly problem: string }

type TextMember = 'title' | 'body'

const mostTerms = 20
const textMembers: readonly TextMember[] = ['title', 'body']

/** What is true of every issue that is imported. */
const alwaysTrue = ['is:issue', 'is:open', 'state:open']

/**
 * Reads a query in the language of GitHub's search, restricted to what an issue says in its delivery and in a list
 * alike: with anything else, both would import different issues.
 */
export function readQuery(text: string): ScopeQuery {
  const parts = text.match(/(?:"[^"]*"|[^\s"])+|"/g) ?? []
  const terms: QueryTerm[] = []
  const members: TextMember[] = []
  for (const part of parts) {
    if (part === '"') return wrong('a quote is not closed')
    const bare = part.replaceAll(/"[^"]*"/g, '')
    if (/^-?(?:AND|OR|NOT)$/.test(part) || /[()]/.test(bare)) {
      const why = 'all terms must be true: write alternatives as label:a,b and exclusions with -'
      return wrong(`${shown(part)} is not supported; ${why}, or quote it as text`)
    }
    if (alwaysTrue.includes(part.toLowerCase())) continue
    const isNot = part.startsWith('-')
    const own = isNot ? part.slice(1) : part
    const qualifier = /^([A-Za-z][A-Za-z-]*):(.*)$/.exec(own)
    if (qualifier === null) {
      const value = unquoted(own)
      if (value === '') return wrong(`${shown(part)} is empty`)
      terms.push({ isNot, kind: 'text', values: [value] })
      continue
    }
    const [, name = '', value = ''] = qualifier
    if (name.toLowerCase() === 'label') {
      const values = (value.match(/"[^"]*"|[^",]+/g) ?? []).map(unquoted)
      if (values.length === 0 || values.includes('')) return wrong(`${shown(part)} names no label`)
      terms.push({ isNot, kind: 'label', values })
    } else if (name.toLowerCase() === 'in' && !isNot) {
      const named = value.toLowerCase().split(',')
      const known = textMembers.filter((one) => named.includes(one))
      if (known.length < named.length) return wrong(`${shown(part)}: use in:title or in:body`)
      members.push(...known)
    } else {
      const use = 'use label:, -label:, in:title, in:body, words and "phrases"'
      return wrong(`${shown(part)} is not supported; ${use}`)
    }
  }
  if (terms.length > mostTerms) return wrong(`it has more than ${mostTerms} terms`)
  return { terms, members: members.length > 0 ? members : textMembers }
}

/** Whether all terms are true of the issue. Letters are compared without regard to case. */
export function matchesQuery(
  { terms, members }: Extract<ScopeQuery, { terms: unknown }>,
  issue: Pick<SourceIssue, 'title' | 'body' | 'labels'>,
): boolean {
  const labels = new Set(issue.labels.map((label) => label.toLowerCase()))
  const texts = members.map((member) => issue[member].toLowerCase())
  return terms.every(({ isNot, kind, values }) => {
    const isTrue = values.some((value) =>
      kind === 'label' ? labels.has(value) : texts.some((text) => text.includes(value)),
    )
    return isTrue !== isNot
  })
}

function unquoted(text: string): string {
  return text.replaceAll('"', '').toLowerCase().trim()
}

function shown(part: string): string {
  return JSON.stringify(part.slice(0, 60))
}

function wrong(why: string): ScopeQuery {
  return { problem: `spec.scope.query: ${why}` }
}
