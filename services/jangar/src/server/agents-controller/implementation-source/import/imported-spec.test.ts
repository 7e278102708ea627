import type { ImplementationSource } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import type { SourceIssue } from '../../../inbox/delivery/source-issue.ts'
import { asSpelled, importedSpec, specName } from './imported-spec.ts'
import { isInScope, ScopeInvalid } from './in-scope.ts'

const issue: SourceIssue = {
  ...{
    externalId: 'owner/app#12',
    repository: 'owner/app',
    title: 'Fix it',
    body: 'It is broken.',
  },
  ...{ labels: ['agent', 'Bug'], url: 'https://git.test/owner/app/issues/12', state: 'open' },
  version: '2026-11-17T08:00:00Z',
}

function source(spec: object = {}, name = 'issues'): ImplementationSource {
  return {
    metadata: { namespace: 'red', name, uid: 'u1' },
    spec: { provider: 'gitea', auth: { secretRef: { name: 's' } }, ...spec },
  } as unknown as ImplementationSource
}

describe('the spec of an issue', () => {
  test('has its texts, and where it comes from', () => {
    const { metadata, spec } = importedSpec(source({ vcsRef: { name: 'hub' } }), issue, 'Open')
    expect(metadata).toMatchObject({ namespace: 'red' })
    expect(metadata.name).toMatch(/^owner-app-12-[0-9a-f]{10}$/)
    expect(spec).toEqual({
      source: {
        ...{ provider: 'gitea', externalId: 'owner/app#12', state: 'Open' },
        ...{ url: 'https://git.test/owner/app/issues/12', version: '2026-11-17T08:00:00Z' },
      },
      vcsRef: { name: 'hub' },
      ...{ text: 'It is broken.', summary: 'Fix it', labels: ['agent', 'Bug'] },
    })
  })

  test.each([
    { because: 'no body', change: { body: '  ' }, expected: { text: 'Fix it' } },
    {
      because: 'nothing at all',
      change: { body: '', title: '' },
      expected: { text: 'owner/app#12' },
    },
    {
      because: 'a title that is too long, of characters of two units',
      change: { title: '🐛'.repeat(300) },
      expected: { summary: '🐛'.repeat(256) },
    },
  ])('with $because', ({ change, expected }) => {
    const { spec } = importedSpec(source(), { ...issue, ...change }, 'Open')
    expect(spec).toMatchObject(expected)
  })

  test.each([
    'javascript:alert(1)',
    'https://a:b@git.test/',
    `https://git.test/${'x'.repeat(3000)}`,
  ])('has no link that a browser must not follow: %s', (url) => {
    const { spec } = importedSpec(source(), { ...issue, url }, 'Open')
    expect(spec.source).not.toHaveProperty('url')
  })

  test('follows the mapping', () => {
    const mapping = { text: 'title', summary: 'externalId', description: 'body' }
    expect(importedSpec(source({ mapping }), issue, 'Open').spec).toMatchObject({
      ...{ text: 'Fix it', summary: 'owner/app#12', description: 'It is broken.' },
    })
  })

  test('has a name of its own for each source and issue, whatever is in it', () => {
    const named = (externalId: string, of = source()) => specName(of, { ...issue, externalId })
    const names = [
      named('a-b/c#1'),
      named('a/b-c#1'),
      named('a/b#11'),
      named('a/b-1#1'),
      named('a-b/c#1', source({}, 'others')),
      named('🐛#1'),
    ]
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
    expect(named('A-B/C#1')).toBe(named('a-b/c#1'))
  })

  test('has the repository as the source spells it', () => {
    const spelled = source({ scope: { repository: 'Owner/App' } })
    expect(asSpelled(spelled, issue).externalId).toBe('Owner/App#12')
    const other = source({ scope: { repository: 'owner/app2' } })
    expect(asSpelled(other, issue).externalId).toBe('owner/app#12')
  })
})

describe('the scope', () => {
  test.each([
    { because: 'nothing restricts', scope: undefined, expected: true },
    {
      because: 'the repository, in another case',
      scope: { repository: 'Owner/APP' },
      expected: true,
    },
    { because: 'another repository', scope: { repository: 'owner/app2' }, expected: false },
    { because: 'the organization', scope: { organization: 'owner' }, expected: true },
    { because: 'another organization', scope: { organization: 'own' }, expected: false },
    { because: 'all labels', scope: { labels: ['Agent', 'bug'] }, expected: true },
    { because: 'a label that it lacks', scope: { labels: ['agent', 'ready'] }, expected: false },
    { because: 'a team, which it has not', scope: { team: 'ENG' }, expected: false },
    { because: 'a query that it matches', scope: { query: 'label:bug broken' }, expected: true },
    { because: 'a query that it does not match', scope: { query: '-label:bug' }, expected: false },
  ])('$because: $expected', ({ scope, expected }) => {
    expect(isInScope(source(scope && { scope }).spec, issue)).toBe(expected)
  })

  test('is not known to be left with a query that nobody can answer', () => {
    const { spec } = source({ scope: { query: 'author:me' } })
    expect(() => isInScope(spec, issue)).toThrow(ScopeInvalid)
  })
})
